import { type Book, mirror } from "../../world/orderBook.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { bestOf, type ClobView, mirroredBest } from "../ClobView.ts"
import { tradeOf } from "../trades.ts"
import {
  bestMessage,
  bookMessage,
  changesOf,
  lastTradeMessage,
  priceChangeMessage,
  tickSizeMessage,
} from "./messages.ts"
import { broadcast, broadcastCustom, type Subscribers } from "./Subscribers.ts"

/** The last published state of a market. */
interface PublishedBook {
  readonly market: Market
  /** Of the first outcome. */
  book: Book
  tick: number
}

/** Publishes book changes. Each book is diffed once against its last published state, for all subscribers. */
export class BookFeed {
  readonly #view: ClobView
  readonly #subscribers: Subscribers
  readonly #published = new Map<Market, PublishedBook>()

  constructor(view: ClobView, subscribers: Subscribers) {
    this.#view = view
    this.#subscribers = subscribers
  }

  /** Brings existing subscribers up to date, so a new one can join at the same book. */
  track(market: Market): void {
    if (this.#published.has(market)) this.refresh(market)
    else this.#published.set(market, { market, book: this.#bookOf(market), tick: this.#view.tick(market) })
  }

  /** The last published book. */
  snapshot(token: Token): string {
    const book = this.#published.get(token.market)?.book ?? this.#bookOf(token.market)
    return bookMessage(this.#view, token, token.outcome === 0 ? book : mirror(book))
  }

  /** Stops tracking a market without subscribers. */
  release(market: Market): void {
    if (!this.#subscribers.hasSubscribers(market)) this.#published.delete(market)
  }

  /** Refreshes all books except those with an unpublished trade, which follows. */
  sweep(isBusy: (market: Market) => boolean): void {
    for (const market of this.#published.keys()) if (!isBusy(market)) this.refresh(market)
  }

  /** Publishes the changes since the last update, if the market is tracked. */
  refresh(market: Market): void {
    const published = this.#published.get(market)
    if (published === undefined) return
    this.#sendTickSize(published)
    const before = published.book
    published.book = this.#bookOf(market)
    this.#sendChanges(published, before)
  }

  /** After a trade the full books are sent. */
  publishTrade(market: Market, tx: number): void {
    const published = this.#published.get(market)
    if (published === undefined) return
    const trade = tradeOf(this.#view.facts, tx)
    for (const token of this.#view.tokensOf(market)) {
      if (token.index !== trade.token) continue
      broadcast(this.#subscribers.ofToken(token), () => lastTradeMessage(this.#view, token, trade))
    }
    this.#sendTickSize(published)
    const before = published.book
    published.book = this.#bookOf(market)
    for (const token of this.#view.tokensOf(market)) {
      const book = token.outcome === 0 ? published.book : mirror(published.book)
      broadcast(this.#subscribers.ofToken(token), () => bookMessage(this.#view, token, book))
    }
    this.#sendBest(published, before)
  }

  #sendChanges(published: PublishedBook, before: Book): void {
    const { market, book } = published
    const changes = changesOf(before, book)
    if (changes.length === 0) return
    broadcast(this.#subscribers.ofMarket(market), () => priceChangeMessage(this.#view, market, book, changes))
    this.#sendBest(published, before)
  }

  #sendBest({ market, book }: PublishedBook, before: Book): void {
    const [was, is] = [bestOf(before), bestOf(book)]
    if (was.bid === is.bid && was.ask === is.ask) return
    for (const token of this.#view.tokensOf(market)) {
      const best = token.outcome === 0 ? is : mirroredBest(is)
      broadcastCustom(this.#subscribers.ofToken(token), () => bestMessage(this.#view, token, best))
    }
  }

  #sendTickSize(published: PublishedBook): void {
    const tick = this.#view.tick(published.market)
    const before = published.tick
    if (tick === before) return
    published.tick = tick
    for (const token of this.#view.tokensOf(published.market)) {
      broadcast(this.#subscribers.ofToken(token), () => tickSizeMessage(this.#view, token, before, tick))
    }
  }

  #bookOf(market: Market): Book {
    return this.#view.book(this.#view.tokensOf(market)[0])
  }
}
