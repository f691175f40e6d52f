import type { BookSnapshot, ClobEvent, LevelChange } from "#src/upstream/clob/model.ts"
import { FreshTrades } from "./FreshTrades.ts"
import { type BookTrade, type Depth, midOf, type Quote, type ResyncReason } from "./model.ts"
import { OrderBook } from "./OrderBook.ts"

interface Changes {
  readonly at: number | undefined
  readonly changes: ReadonlyArray<LevelChange>
}

type Trade = NonNullable<Quote["lastTrade"]>

/** Changes older than the snapshot are contained in it, unless they arrive this much later. */
const lateMillis = 2_000
const maxQueued = 1_000

/**
 * The book of one token: a snapshot and the changes since. Once it is invalid it is no longer readable and changes are
 * queued. A new snapshot makes it valid again; the queued changes that it does not contain are then applied.
 */
export class FollowedBook {
  #book: OrderBook | undefined
  #condition = ""
  /** Times of the newest change and of the snapshot before it, by the venue's clock. */
  #at = 0
  #snapshotAt = 0
  #installedAt = 0
  #queued: Array<Changes> = []
  #lastTrade: Trade | null = null
  readonly #seenTrades = new FreshTrades()
  #newTrades: Array<BookTrade> = []
  #hasMissed = false
  /** No trade between the last one and this time is missing. */
  #tradedUntil = 0
  #tickSize: number | null = null
  /** The last audit that differed: our time, and the venue's if it was ahead. */
  #audited: { readonly at: number; readonly ahead: number | undefined } | undefined

  get isLive(): boolean {
    return this.#book !== undefined
  }

  invalidate(): void {
    this.#book = undefined
    this.#audited = undefined
  }

  /** A message was lost that may have been a trade. */
  markTradesMissed(): void {
    this.#hasMissed = true
  }

  /** Drops everything received on a connection that has closed. */
  reset(): void {
    this.invalidate()
    this.#queued = []
  }

  /** Applies a snapshot from the stream, which is ordered with the changes. */
  applyBook(snapshot: BookSnapshot, now: number): ResyncReason | undefined {
    const at = this.#timeOf(snapshot.at)
    if (this.isLive && at < this.#at) {
      return this.#isContained(at, now) ? undefined : this.#invalidated("out-of-order")
    }
    return this.install(snapshot, now)
  }

  /** Installs a snapshot from the stream or from a request. */
  install(snapshot: BookSnapshot, now: number): ResyncReason | undefined {
    const queued = this.#queued
    this.#queued = []
    this.#book = new OrderBook(snapshot)
    this.#condition = snapshot.condition
    const at = this.#timeOf(snapshot.at)
    this.#at = at
    this.#snapshotAt = at
    this.#installedAt = now
    this.#audited = undefined
    this.#tickSize = snapshot.tickSize ?? this.#tickSize
    this.adoptLastTrade(snapshot)
    if (this.#book.isCrossed) return this.#invalidated("crossed")
    for (const queuedChanges of queued) {
      // Changes of the same millisecond may be in the snapshot already; applying them twice is harmless.
      const isContained = (queuedChanges.at ?? at) < at
      const reason = isContained ? undefined : this.applyChanges(queuedChanges.at, queuedChanges.changes, now)
      if (reason !== undefined) return reason
    }
    return undefined
  }

  /** Applies all changes of one message for this token. */
  applyChanges(sentAt: number | undefined, changes: ReadonlyArray<LevelChange>, now: number): ResyncReason | undefined {
    const book = this.#book
    if (book === undefined) {
      this.#queued.push({ at: sentAt, changes })
      if (this.#queued.length > maxQueued) this.#queued.shift()
      return "no-snapshot"
    }
    const at = this.#timeOf(sentAt)
    if (at < this.#at) return this.#isContained(at, now) ? undefined : this.#invalidated("out-of-order")
    this.#at = at
    for (const { side, price, size } of changes) book.set(side, price, size)
    if (book.isCrossed) return this.#invalidated("crossed")
    const last = changes[changes.length - 1]
    return last === undefined ||
      (agrees(last.bestBid, book.bestBid, 0) && agrees(last.bestAsk, book.bestAsk, 1_000_000))
      ? undefined
      : this.#invalidated("best-disagrees")
  }

  applyTrade(event: Extract<ClobEvent, { kind: "trade" }>, now: number): undefined {
    const { price, size, side } = event
    const at = event.at ?? (Math.max(this.#at, this.#tradedUntil) || now)
    if (size === undefined) {
      // Too little to publish, but its price is known.
      this.#hasMissed = true
      if (at >= this.#tradedUntil) this.#lastTrade = { price, size: null, side, at }
      return
    }
    const trade = {
      price,
      size,
      side,
      at,
      feeRate: event.feeRate ?? null,
      transaction: event.transaction ?? null,
    }
    if (!this.#seenTrades.isFresh(trade)) return
    this.#newTrades.push(trade)
    const isDetail = this.#lastTrade?.at === null && this.#lastTrade.price === price
    if (at < this.#tradedUntil && !isDetail) return
    this.#lastTrade = { price, size, side, at }
    this.#tradedUntil = Math.max(this.#tradedUntil, at)
  }

  /** Takes the trades since the last call, in order of arrival, and whether some may be missing. */
  takeTrades(): { readonly trades: ReadonlyArray<BookTrade>; readonly hasMissed: boolean } {
    const taken = { trades: this.#newTrades, hasMissed: this.#hasMissed }
    this.#newTrades = []
    this.#hasMissed = false
    return taken
  }

  /** A snapshot contains only the price of the last trade. Returns whether it is a new one. */
  adoptLastTrade({ at: sentAt, lastTradePrice: price }: BookSnapshot): boolean {
    const at = this.#timeOf(sentAt)
    if (price === undefined || at < this.#tradedUntil) return false
    this.#tradedUntil = at
    if (price === this.#lastTrade?.price) return false
    this.#lastTrade = { price, side: null, size: null, at: null }
    return true
  }

  applyTickSize(tickSize: number): undefined {
    this.#tickSize = tickSize
  }

  /** Compares with the venue's book, allowing for messages that are still in flight. */
  audit(shown: BookSnapshot): ResyncReason | undefined {
    const before = this.#audited
    const book = this.#book
    if (book === undefined) return undefined
    this.#audited = undefined
    if (book.equals(shown)) return undefined
    const isAhead = shown.at !== undefined && shown.at > this.#at
    if (before?.ahead !== undefined && this.#at < before.ahead) return this.#invalidated("behind")
    if (shown.at === this.#at || (!isAhead && before?.at === this.#at)) return this.#invalidated("differs")
    this.#audited = { at: this.#at, ahead: isAhead ? shown.at : undefined }
    return undefined
  }

  quote(): Quote | undefined {
    if (this.#book === undefined) return undefined
    const [bid, ask] = [this.#book.bestBid ?? null, this.#book.bestAsk ?? null]
    return {
      bid,
      ask,
      mid: midOf(bid, ask),
      spread: bid === null || ask === null ? null : ask - bid,
      lastTrade: this.#lastTrade,
      tickSize: this.#tickSize,
      updatedAt: this.#at || this.#installedAt,
    }
  }

  depth(): Depth | undefined {
    const book = this.#book
    if (book === undefined) return undefined
    return {
      condition: this.#condition,
      bids: book.levels("bid"),
      asks: book.levels("ask"),
      tickSize: this.#tickSize,
      updatedAt: this.#at || this.#installedAt,
    }
  }

  /** A message without a time is as old as the book: messages arrive in order. */
  #timeOf(at: number | undefined): number {
    return at ?? this.#at
  }

  #isContained(at: number, now: number): boolean {
    return at < this.#snapshotAt && now - this.#installedAt <= lateMillis
  }

  #invalidated(reason: ResyncReason): ResyncReason {
    this.invalidate()
    return reason
  }
}

/** For an empty side the venue sends no price, or the end of the price range. */
const agrees = (reported: number | undefined, own: number | undefined, end: number): boolean =>
  reported === undefined || reported === (own ?? end)
