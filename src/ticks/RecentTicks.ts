import type { Coin, Tick } from "#src/domain/Tick.ts"

export const tickChecks = ["new", "duplicate", "ahead", "behind", "late", "contradiction"] as const
/** What to make of a tick: `ahead` and `behind` our clock, `late` behind its own feed, or against what was said before. */
export type TickCheck = (typeof tickChecks)[number]

/** Beyond these the source, or the way to it, has lost its sense of time. */
export const maxAheadMillis = 2_000
export const maxBehindMillis = 60_000
/** What overtakes on the way comes within this; what is later was said with a wrong clock, and history tells it better. */
export const maxLateMillis = 10_000

/** Snapshots may have fewer decimals than live ticks: one part in this many is no contradiction. */
const roundingShare = 10_000_000n

const rememberedMillis = 300_000

interface Feed {
  newest: number
  readonly prices: Map<number, bigint>
}

/** The last minutes of a source: what has been said, so that it counts once and is not contradicted. */
export class RecentTicks {
  readonly #feeds = new Map<Coin, Feed>()

  newest(coin: Coin): number | undefined {
    return this.#feeds.get(coin)?.newest
  }

  judge({ coin, at, price }: Tick, now: number): TickCheck {
    if (at > now + maxAheadMillis) return "ahead"
    const feed = this.#feeds.get(coin)
    const known = feed?.prices.get(at)
    if (known !== undefined) return known === price ? "duplicate" : "contradiction"
    if (at < now - maxBehindMillis) return "behind"
    return feed !== undefined && at < feed.newest - maxLateMillis ? "late" : "new"
  }

  /** A stretch of the recent past, in order of time, is wrong as a whole when one tick of it is by more than rounding. */
  judgeStretch(ticks: ReadonlyArray<Tick>, now: number): TickCheck {
    const last = ticks.at(-1)
    if (last === undefined) return "duplicate"
    if (last.at < now - maxBehindMillis) return "behind"
    if (last.at > now + maxAheadMillis) return "ahead"
    return ticks.some((tick) => this.#isAgainst(tick)) ? "contradiction" : "new"
  }

  #isAgainst({ coin, at, price }: Tick): boolean {
    const known = this.#feeds.get(coin)?.prices.get(at) ?? price
    const difference = known > price ? known - price : price - known
    return difference > 1n && difference * roundingShare > price
  }

  remember({ coin, at, price }: Tick): void {
    let feed = this.#feeds.get(coin)
    if (feed === undefined) {
      feed = { newest: at, prices: new Map() }
      this.#feeds.set(coin, feed)
    }
    feed.newest = Math.max(feed.newest, at)
    feed.prices.set(at, price)
    if (feed.prices.size * 500 < rememberedMillis) return
    for (const old of feed.prices.keys()) if (old < feed.newest - rememberedMillis) feed.prices.delete(old)
  }
}
