import { Effect } from "effect"

/**
 * Runs the candidates alternately, every second round in reverse order, so that the noise of a shared machine
 * affects all of them equally. A first warm-up round is not counted.
 */
export const interleave = Effect.fnUntraced(function* <K extends string, A, E, R>(
  rounds: number,
  candidates: Readonly<Record<K, Effect.Effect<A, E, R>>>,
) {
  const names = Object.keys(candidates) as Array<K>
  const results = {} as Record<K, Array<A>>
  for (const name of names) results[name] = []
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = yield* candidates[name]
      if (round > 0) results[name].push(result)
    }
  }
  return results
})
