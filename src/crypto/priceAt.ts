import { type FinePrice, finePrice, halfUp } from "#src/domain/amounts.ts"
import type { TickSource } from "#src/domain/Tick.ts"

/** A source's prices of a coin up to a moment, in units of 10⁻⁸ USD. */
export interface Reading {
  readonly source: TickSource
  /** Of the ticks in the seconds to average. */
  readonly sum: bigint
  readonly count: number
  /** Price of the newest tick, however old. */
  readonly last: FinePrice
  /** Milliseconds. */
  readonly lastAt: number
}

export interface PriceAtMoment {
  readonly price: FinePrice
  /** Time of its newest tick. */
  readonly at: number
}

/** A source without a tick for this long is replaced by a fresher one. */
const freshMillis = 60_000

/**
 * The price at the end of the second before `to`: the mean of the requested seconds, rounded half up, or the newest tick
 * when there is nothing to average. It uses the first reading with a tick within the last minute, else the newest one.
 */
export const priceAt = (readings: ReadonlyArray<Reading>, to: number): PriceAtMoment | undefined => {
  const fresh = readings.find(({ lastAt }) => lastAt >= to - freshMillis)
  const newest = readings.reduce<Reading | undefined>(
    (best, each) => (best === undefined || each.lastAt > best.lastAt ? each : best),
    undefined,
  )
  const chosen = fresh ?? newest
  if (chosen === undefined) return undefined
  const { sum, count, last, lastAt } = chosen
  return { price: count === 0 ? last : finePrice(halfUp(sum, BigInt(count))), at: lastAt }
}
