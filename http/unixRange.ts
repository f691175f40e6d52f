import { Effect } from "effect"
import { BadInput } from "./errors.ts"

/** Both in seconds, and both belong to it. */
export interface UnixRange {
  readonly from: number
  readonly to: number
}

interface Given {
  readonly from?: unknown
  readonly to?: unknown
}

interface Reading {
  /** Whether it is in the query or in a body, which errors say. */
  readonly where: "param" | "field"
  readonly nowMillis: number
  /** Where a range begins that only has an end. */
  readonly begin: (to: number) => number
}

/** Milliseconds from 1973 on. As seconds they would be thousands of years from now. */
const looksLikeMillis = 1e11

const kinds = { param: "Parameter", field: "Field" } as const

const wrong = (where: Reading["where"], name: string, problem: string, hint?: string) =>
  Effect.fail(
    new BadInput({
      error: `${kinds[where]} "${name}": ${problem}.`,
      [where]: name,
      ...(hint !== undefined && { hint }),
    }),
  )

const readSeconds = (where: Reading["where"], name: string, given: unknown) => {
  if (given === undefined) return Effect.undefined
  if (typeof given !== "number" || !Number.isSafeInteger(given) || given < 0)
    return wrong(where, name, `expected Unix seconds, got ${JSON.stringify(given)?.slice(0, 100)}`)
  if (given < looksLikeMillis) return Effect.succeed(given)
  const seconds = Math.floor(given / 1000)
  const problem = `expected Unix seconds, got ${given}, which looks like milliseconds`
  return wrong(where, name, problem, `Divide by 1000: ${seconds}.`)
}

/** The range that is asked for: until now, if it has no end. */
export const readUnixRange = Effect.fnUntraced(function* (given: Given, { where, nowMillis, begin }: Reading) {
  const until = yield* readSeconds(where, "to", given.to)
  const to = until ?? Math.floor(nowMillis / 1000)
  const from = (yield* readSeconds(where, "from", given.from)) ?? begin(to)
  if (from <= to) return { from, to } satisfies UnixRange
  return yield* until === undefined
    ? wrong(where, "from", `expected a moment that is not after now (${to}), got ${from}`)
    : wrong(where, "to", `expected a moment that is not before "from" (${from}), got ${to}`)
})
