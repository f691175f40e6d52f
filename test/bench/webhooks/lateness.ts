import type { Arrival, Committed } from "../support/webhooks.ts"

/** Milliseconds from each commit to the arrival. Arrivals of other commits are ignored. */
export const latenessOf = (
  committed: ReadonlyArray<Committed>,
  arrivals: ReadonlyArray<Arrival>,
): ReadonlyArray<number> => {
  const since = new Map(committed.map(({ block, at }) => [block, at]))
  return arrivals.flatMap(({ block, at }) => {
    const from = since.get(block)
    return from === undefined ? [] : [at - from]
  })
}
