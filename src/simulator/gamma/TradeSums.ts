import { firstBlock } from "../world/blockClock.ts"
import { floats, ints } from "../world/columns.ts"
import { type Facts, TxKind, tradePriceOf } from "../world/Facts.ts"
import type { Micro, Millis } from "../world/model.ts"
import type { Market, Venue } from "../world/Venue.ts"

const hour = 3_600_000
const day = 24 * hour

const spans = { hour, day, week: 7 * day, month: 30 * day, year: 365 * day }
export type SpanName = keyof typeof spans
const spanNames = Object.keys(spans) as ReadonlyArray<SpanName>

/** Sums over the last hour, day, … */
class RollingWindow {
  readonly duration: Millis
  /** The first transaction inside the window. */
  first = 0
  readonly volume = floats()
  /** The last price before the window, in 1/1000; the start price before the first trade. */
  readonly priceBefore = ints()

  constructor(duration: Millis) {
    this.duration = duration
  }
}

/**
 * Volumes and prices by market, from the trades in visible blocks. Volume counts each match once: the collateral that
 * the taker's order paid or received, without fees.
 */
export class TradeSums {
  readonly #facts: Facts
  readonly #venue: Venue
  /** Transactions below this are counted. */
  #counted = 0
  readonly #volume = floats()
  readonly #last = ints()
  readonly #lastAt = floats()
  readonly #windows = Object.fromEntries(spanNames.map((name) => [name, new RollingWindow(spans[name])])) as Readonly<
    Record<SpanName, RollingWindow>
  >
  readonly #windowList = Object.values(this.#windows)

  constructor(facts: Facts, venue: Venue) {
    this.#facts = facts
    this.#venue = venue
  }

  /** Adds the blocks up to `head` and expires what left the windows by `now`. */
  catchUp(head: number, now: Millis): void {
    this.#addMarkets()
    const { block, at } = this.#facts
    const end = block.lowerBound(head - firstBlock + 1)
    for (const window of this.#windowList) {
      while (window.first < this.#counted && at.get(window.first) <= now - window.duration) this.#expire(window)
    }
    for (; this.#counted < end; this.#counted++) this.#count(this.#counted, now)
  }

  volume(market: number): Micro {
    return this.#volume.get(market)
  }

  recentVolume(market: number, span: SpanName): Micro {
    return this.#windows[span].volume.get(market)
  }

  /** Price of the last trade in 1/1000, in terms of the first outcome. */
  last(market: number): number {
    return this.#last.get(market)
  }

  /** 0 before the first trade. */
  lastAt(market: number): Millis {
    return this.#lastAt.get(market)
  }

  priceChange(market: number, span: SpanName): number {
    return this.#last.get(market) - this.#windows[span].priceBefore.get(market)
  }

  #addMarkets(): void {
    const { markets } = this.#venue
    for (let market = this.#volume.length; market < markets.length; market++) {
      const { startPrice } = (markets[market] as Market).plan
      this.#volume.push(0)
      this.#last.push(startPrice)
      this.#lastAt.push(0)
      for (const { volume, priceBefore } of this.#windowList) {
        volume.push(0)
        priceBefore.push(startPrice)
      }
    }
  }

  #count(tx: number, now: Millis): void {
    if (this.#facts.kind.get(tx) !== TxKind.match) return
    const market = this.#facts.market.get(tx)
    const at = this.#facts.at.get(tx)
    const usd = this.#facts.usd.get(this.#takerFill(tx))
    const price = this.#price(tx, market)
    this.#volume.add(market, usd)
    this.#last.set(market, price)
    this.#lastAt.set(market, at)
    for (const window of this.#windowList) {
      if (at > now - window.duration) window.volume.add(market, usd)
      else {
        // Skips history that is too old for the window.
        window.priceBefore.set(market, price)
        window.first = tx + 1
      }
    }
  }

  #expire(window: RollingWindow): void {
    const tx = window.first++
    if (this.#facts.kind.get(tx) !== TxKind.match) return
    const market = this.#facts.market.get(tx)
    window.volume.add(market, -this.#facts.usd.get(this.#takerFill(tx)))
    window.priceBefore.set(market, this.#price(tx, market))
  }

  /** The maker fills come first. */
  #takerFill(tx: number): number {
    return this.#facts.firstFill.get(tx) + this.#facts.fillCount.get(tx) - 1
  }

  #price(tx: number, market: number): number {
    const price = tradePriceOf(this.#facts, tx)
    const [firstOutcome] = (this.#venue.markets[market] as Market).tokens
    return this.#facts.token.get(tx) === firstOutcome ? price : 1000 - price
  }
}
