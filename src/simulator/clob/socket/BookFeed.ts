import { type Book, mirror } from "../../world/orderBook.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { bestOf, type ClobView, mirroredBest } from "../ClobView.ts"
import { tradeOf } from "../lastTrade.ts"
import { type Audience, tell, tellCustom } from "./Audience.ts"
import { changesOf } from "./bookChanges.ts"
import { bestMessage, bookMessage, lastTradeMessage, priceChangeMessage, tickSizeMessage } from "./messages.ts"

/** A market as it was last told. */
interface Told {
  readonly market: Market
  /** Of the first outcome. */
  book: Book
  tick: number
}

/** Tells how books change. Each is compared once with what was told last, for everyone who follows it. */
export class BookFeed {
  readonly #view: ClobView
  readonly #audience: Audience
  readonly #told = new Map<Market, Told>()

  constructor(view: ClobView, audience: Audience) {
    this.#view = view
    this.#audience = audience
  }

  /** From here on everyone who follows the market knows the same book; somebody who begins to may join them. */
  follow(market: Market): void {
    if (this.#told.has(market)) this.refresh(market)
    else this.#told.set(market, { market, book: this.#bookOf(market), tick: this.#view.tick(market) })
  }

  /** The book of one who follows its market, as it was last told. */
  snapshot(token: Token): string {
    const book = this.#told.get(token.market)?.book ?? this.#bookOf(token.market)
    return bookMessage(this.#view, token, token.outcome === 0 ? book : mirror(book))
  }

  /** Forgets a market that nobody follows any more. */
  release(market: Market): void {
    if (!this.#audience.follows(market)) this.#told.delete(market)
  }

  /** Time has passed; markets that are about to be traded in wait for that. */
  sweep(isBusy: (market: Market) => boolean): void {
    for (const market of this.#told.keys()) if (!isBusy(market)) this.refresh(market)
  }

  /** Tells what is different by now, if anything and if anybody follows. */
  refresh(market: Market): void {
    const told = this.#told.get(market)
    if (told === undefined) return
    this.#tellTick(told)
    const before = told.book
    told.book = this.#bookOf(market)
    this.#tellChanges(told, before)
  }

  /** After a trade the whole books are told. */
  traded(market: Market, act: number): void {
    const told = this.#told.get(market)
    if (told === undefined) return
    const trade = tradeOf(this.#view.facts, act)
    for (const token of this.#view.tokensOf(market)) {
      if (token.index !== trade.token) continue
      tell(this.#audience.ofToken(token), () => lastTradeMessage(this.#view, token, trade))
    }
    this.#tellTick(told)
    const before = told.book
    told.book = this.#bookOf(market)
    for (const token of this.#view.tokensOf(market)) {
      const book = token.outcome === 0 ? told.book : mirror(told.book)
      tell(this.#audience.ofToken(token), () => bookMessage(this.#view, token, book))
    }
    this.#tellBest(told, before)
  }

  #tellChanges(told: Told, before: Book): void {
    const { market, book } = told
    const changes = changesOf(before, book)
    if (changes.length === 0) return
    tell(this.#audience.ofMarket(market), () => priceChangeMessage(this.#view, market, book, changes))
    this.#tellBest(told, before)
  }

  #tellBest({ market, book }: Told, before: Book): void {
    const [was, is] = [bestOf(before), bestOf(book)]
    if (was.bid === is.bid && was.ask === is.ask) return
    for (const token of this.#view.tokensOf(market)) {
      const best = token.outcome === 0 ? is : mirroredBest(is)
      tellCustom(this.#audience.ofToken(token), () => bestMessage(this.#view, token, best))
    }
  }

  #tellTick(told: Told): void {
    const tick = this.#view.tick(told.market)
    const before = told.tick
    if (tick === before) return
    told.tick = tick
    for (const token of this.#view.tokensOf(told.market)) {
      tell(this.#audience.ofToken(token), () => tickSizeMessage(this.#view, token, before, tick))
    }
  }

  #bookOf(market: Market): Book {
    return this.#view.book(this.#view.tokensOf(market)[0])
  }
}
