import type { Arrived, Told } from "../support/webhooks.ts"

/** Milliseconds from when each was there to see until it arrived; what was not told in this time is left out. */
export const latenessOf = (told: ReadonlyArray<Told>, arrivals: ReadonlyArray<Arrived>): ReadonlyArray<number> => {
  const since = new Map(told.map(({ block, at }) => [block, at]))
  return arrivals.flatMap(({ block, at }) => {
    const from = since.get(block)
    return from === undefined ? [] : [at - from]
  })
}
