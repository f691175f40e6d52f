import type { TickSource } from "#src/domain/Tick.ts"

/** What a source has said about the price of a coin up to a moment. Prices are whole numbers of 10⁻⁸ USD. */
export interface Reading {
  readonly source: TickSource
  /** Of the ticks in the seconds whose mean is asked for. */
  readonly sum: bigint
  readonly count: number
  /** The newest tick, however old. */
  readonly last: bigint
  /** Milliseconds. */
  readonly lastAt: number
}

export interface PriceAtMoment {
  readonly price: bigint
  /** When the newest tick in it was. */
  readonly at: number
}

/** A source that has said nothing for this long gives way to one that has. */
const freshMillis = 60_000

const meanOf = (sum: bigint, count: bigint) => (2n * sum + count) / (2n * count)

/**
 * The price at the end of the second that ends before `to`: the mean of the ticks of the seconds asked for, rounded half
 * up, or the newest tick where no mean is asked for or no tick falls into it. The first source that was heard within a
 * minute counts, in the order of the readings; when none was, the one that was heard last.
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
  return { price: count === 0 ? last : meanOf(sum, BigInt(count)), at: lastAt }
}
