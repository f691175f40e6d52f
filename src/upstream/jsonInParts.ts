import { Effect } from "effect"
import { partLength, type Reading, scan } from "./jsonScan.ts"

const parsing: Reading = {
  element: (text, start, end) => JSON.parse(text.slice(start, end)),
  rest: (text) => JSON.parse(text),
}

/**
 * Parses JSON as `JSON.parse` does, but lets other fibers run between the elements of a list at the top, or of the lists in
 * an object at the top: a page of events would hold up live ticks.
 */
export const jsonInParts = (text: string): Effect.Effect<unknown, Error> =>
  Effect.suspend(() => {
    const atOnce = Effect.try({ try: (): unknown => JSON.parse(text), catch: (error) => error as Error })
    if (text.length <= partLength) return atOnce
    const inParts = Effect.gen(function* () {
      const steps = scan(text, parsing)
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done === true) return step.value
        yield* Effect.yieldNow
      }
    })
    return Effect.catchDefect(inParts, () => atOnce)
  })
