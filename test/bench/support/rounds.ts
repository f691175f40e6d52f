import { Effect } from "effect"

/**
 * Runs the contestants in turn, every second round backwards, so that the noise of a shared machine
 * meets all of them alike. One round before that is not counted.
 */
export const inTurns = Effect.fnUntraced(function* <K extends string, A, E, R>(
  rounds: number,
  contestants: Readonly<Record<K, Effect.Effect<A, E, R>>>,
) {
  const names = Object.keys(contestants) as Array<K>
  const results = {} as Record<K, Array<A>>
  for (const name of names) results[name] = []
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = yield* contestants[name]
      if (round > 0) results[name].push(result)
    }
  }
  return results
})
