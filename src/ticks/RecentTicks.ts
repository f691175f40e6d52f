import type { Coin, Tick } from "#src/domain/Tick.ts"

const tickChecks = ["new", "duplicate", "ahead", "behind", "late", "contradiction"] as const
/** Result of checking a tick: `ahead` of or `behind` our clock, `late` in its feed, or contradicting a received price. */
export type TickCheck = (typeof tickChecks)[number]

/** Beyond these limits the timestamps of the source or its connection are wrong. */
export const maxAheadMillis = 2_000
export const maxBehindMillis = 60_000
/** Reordered ticks arrive within this. Later ones come from a wrong clock and are left to the history. */
const maxLateMillis = 10_000

/** Snapshots may have fewer decimals than live ticks: a difference of one part in this many is rounding. */
const roundingDivisor = 10_000_000n

const windowMillis = 300_000

interface Feed {
  newest: number
  readonly prices: Map<number, bigint>
}

/** Prices received from a source in the last minutes, to detect duplicates and contradictions. */
export class RecentTicks {
  readonly #feeds = new Map<Coin, Feed>()

  newest(coin: Coin): number | undefined {
    return this.#feeds.get(coin)?.newest
  }

  check({ coin, at, price }: Tick, now: number): TickCheck {
    if (at > now + maxAheadMillis) return "ahead"
    const feed = this.#feeds.get(coin)
    const known = feed?.prices.get(at)
    if (known !== undefined) return known === price ? "duplicate" : "contradiction"
    if (at < now - maxBehindMillis) return "behind"
    return feed !== undefined && at < feed.newest - maxLateMillis ? "late" : "new"
  }

  /** Checks recent ticks in order of time as a whole: one that differs by more than rounding makes all of them wrong. */
  checkRange(ticks: ReadonlyArray<Tick>, now: number): TickCheck {
    const last = ticks.at(-1)
    if (last === undefined) return "duplicate"
    if (last.at < now - maxBehindMillis) return "behind"
    if (last.at > now + maxAheadMillis) return "ahead"
    return ticks.some((tick) => this.#contradicts(tick)) ? "contradiction" : "new"
  }

  #contradicts({ coin, at, price }: Tick): boolean {
    const known = this.#feeds.get(coin)?.prices.get(at) ?? price
    const difference = known > price ? known - price : price - known
    return difference > 1n && difference * roundingDivisor > price
  }

  add({ coin, at, price }: Tick): void {
    let feed = this.#feeds.get(coin)
    if (feed === undefined) {
      feed = { newest: at, prices: new Map() }
      this.#feeds.set(coin, feed)
    }
    feed.newest = Math.max(feed.newest, at)
    feed.prices.set(at, price)
    if (feed.prices.size * 500 < windowMillis) return
    for (const old of feed.prices.keys()) if (old < feed.newest - windowMillis) feed.prices.delete(old)
  }
}
