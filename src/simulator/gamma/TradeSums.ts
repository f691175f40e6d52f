import { firstBlock } from "../world/blockClock.ts"
import { floats, ints } from "../world/columns.ts"
import { Act, type Facts } from "../world/Facts.ts"
import type { Micro, Millis } from "../world/model.ts"
import { tradePriceOf } from "../world/tradePrice.ts"
import type { Market, Venue } from "../world/Venue.ts"

const hour = 3_600_000
const day = 24 * hour

export const spans = { hour, day, week: 7 * day, month: 30 * day, year: 365 * day }
export type SpanName = keyof typeof spans
const spanNames = Object.keys(spans) as ReadonlyArray<SpanName>

/** The trades of the last hour, day, … */
class Recent {
  readonly lasts: Millis
  /** The first act that is not too old. */
  first = 0
  readonly volume = floats()
  /** The last price before, in 1/1000; the price at the start where there was no trade. */
  readonly priceBefore = ints()

  constructor(lasts: Millis) {
    this.lasts = lasts
  }
}

/**
 * Volumes and prices by market, from the trades in blocks that the outside can see. Volume is counted once per match:
 * the collateral that the taker's own order paid or received, fees left out.
 */
export class TradeSums {
  readonly #facts: Facts
  readonly #venue: Venue
  /** Acts below this are counted. */
  #counted = 0
  readonly #volume = floats()
  readonly #last = ints()
  readonly #lastAt = floats()
  readonly #recents = Object.fromEntries(spanNames.map((name) => [name, new Recent(spans[name])])) as Readonly<
    Record<SpanName, Recent>
  >
  readonly #recentList = Object.values(this.#recents)

  constructor(facts: Facts, venue: Venue) {
    this.#facts = facts
    this.#venue = venue
  }

  /** Counts what blocks up to `head` brought and forgets what has become old by `now`. */
  catchUp(head: number, now: Millis): void {
    this.#admitMarkets()
    const { block, at } = this.#facts
    const end = block.lowerBound(head - firstBlock + 1)
    for (const recent of this.#recentList) {
      while (recent.first < this.#counted && at.get(recent.first) <= now - recent.lasts) this.#forget(recent)
    }
    for (; this.#counted < end; this.#counted++) this.#count(this.#counted, now)
  }

  volume(market: number): Micro {
    return this.#volume.get(market)
  }

  recentVolume(market: number, span: SpanName): Micro {
    return this.#recents[span].volume.get(market)
  }

  /** Price of the last trade in 1/1000, in terms of the first outcome. */
  last(market: number): number {
    return this.#last.get(market)
  }

  /** 0 where there was none. */
  lastAt(market: number): Millis {
    return this.#lastAt.get(market)
  }

  priceChange(market: number, span: SpanName): number {
    return this.#last.get(market) - this.#recents[span].priceBefore.get(market)
  }

  #admitMarkets(): void {
    const { markets } = this.#venue
    for (let market = this.#volume.length; market < markets.length; market++) {
      const { startPrice } = (markets[market] as Market).plan
      this.#volume.push(0)
      this.#last.push(startPrice)
      this.#lastAt.push(0)
      for (const { volume, priceBefore } of this.#recentList) {
        volume.push(0)
        priceBefore.push(startPrice)
      }
    }
  }

  #count(act: number, now: Millis): void {
    if (this.#facts.kind.get(act) !== Act.match) return
    const market = this.#facts.market.get(act)
    const at = this.#facts.at.get(act)
    const usd = this.#facts.usd.get(this.#takersFill(act))
    const price = this.#price(act, market)
    this.#volume.add(market, usd)
    this.#last.set(market, price)
    this.#lastAt.set(market, at)
    for (const recent of this.#recentList) {
      if (at > now - recent.lasts) recent.volume.add(market, usd)
      else {
        // Most of history is too old for most spans; all before it is as well.
        recent.priceBefore.set(market, price)
        recent.first = act + 1
      }
    }
  }

  #forget(recent: Recent): void {
    const act = recent.first++
    if (this.#facts.kind.get(act) !== Act.match) return
    const market = this.#facts.market.get(act)
    recent.volume.add(market, -this.#facts.usd.get(this.#takersFill(act)))
    recent.priceBefore.set(market, this.#price(act, market))
  }

  /** The makers' fills come first. */
  #takersFill(act: number): number {
    return this.#facts.firstFill.get(act) + this.#facts.fillCount.get(act) - 1
  }

  #price(act: number, market: number): number {
    const price = tradePriceOf(this.#facts, act)
    const [firstOutcome] = (this.#venue.markets[market] as Market).tokens
    return this.#facts.token.get(act) === firstOutcome ? price : 1000 - price
  }
}
