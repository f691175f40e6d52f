import type { BookSnapshot, ClobEvent, LevelChange } from "#src/upstream/clob/model.ts"
import { FreshTrades } from "./FreshTrades.ts"
import { type BookTrade, type Depth, midOf, type Quote, type ResyncReason } from "./model.ts"
import { OrderBook } from "./OrderBook.ts"

interface Changes {
  readonly at: number
  readonly changes: ReadonlyArray<LevelChange>
}

type Trade = NonNullable<Quote["lastTrade"]>

/** Changes that are older than the snapshot they follow are already in it, unless they come long after it. */
const lateMillis = 2_000
const maxQueued = 1_000

/**
 * The book of one token, from a snapshot and what changed since. It is shown only while there is no reason to doubt it;
 * from the first doubt on changes are queued back until a new snapshot comes, and those it does not contain are made.
 */
export class FollowedBook {
  #book: OrderBook | undefined
  #condition = ""
  /** The newest change, and the snapshot before it, by the venue's clock. */
  #at = 0
  #snapshotAt = 0
  #installedAt = 0
  #queued: Array<Changes> = []
  #lastTrade: Trade | null = null
  readonly #seenTrades = new FreshTrades()
  #newTrades: Array<BookTrade> = []
  #hasMissed = false
  /** The last trade is the newest up to this moment at least. */
  #tradedUntil = 0
  #tickSize: number | null = null
  /** What the last audit found: our own moment, and that of the venue when it was ahead. */
  #audited: { readonly at: number; readonly ahead: number | undefined } | undefined

  get isLive(): boolean {
    return this.#book !== undefined
  }

  /** The book is in doubt. */
  doubt(): void {
    this.#book = undefined
    this.#audited = undefined
  }

  /** Something was said that did not arrive: perhaps a trade. */
  miss(): void {
    this.#hasMissed = true
  }

  /** Whatever came until now belongs to a connection that is gone. */
  forget(): void {
    this.invalidate()
    this.#queued = []
  }

  /** A snapshot in its place among the changes. */
  applyBook(snapshot: BookSnapshot, now: number): ResyncReason | undefined {
    if (this.isLive && snapshot.at < this.#at) {
      return this.#isContained(snapshot.at, now) ? undefined : this.#invalidated("out-of-order")
    }
    return this.install(snapshot, now)
  }

  /** A snapshot from elsewhere, for a book in doubt. */
  install(snapshot: BookSnapshot, now: number): ResyncReason | undefined {
    const queued = this.#queued
    this.#queued = []
    this.#book = new OrderBook(snapshot)
    this.#condition = snapshot.condition
    this.#at = snapshot.at
    this.#snapshotAt = snapshot.at
    this.#installedAt = now
    this.#audited = undefined
    this.#tickSize = snapshot.tickSize ?? this.#tickSize
    this.adoptLastTrade(snapshot)
    if (this.#book.isCrossed) return this.#invalidated("crossed")
    for (const { at, changes } of queued) {
      // Those of the same millisecond may or may not be in the snapshot; made twice they do no harm.
      const reason = at < snapshot.at ? undefined : this.applyChanges(at, changes, now)
      if (reason !== undefined) return reason
    }
    return undefined
  }

  /** All changes of one message that concern this token. */
  applyChanges(at: number, changes: ReadonlyArray<LevelChange>, now: number): ResyncReason | undefined {
    const book = this.#book
    if (book === undefined) {
      this.#queued.push({ at, changes })
      if (this.#queued.length > maxQueued) this.#queued.shift()
      return "no-snapshot"
    }
    if (at < this.#at) return this.#isContained(at, now) ? undefined : this.#invalidated("out-of-order")
    this.#at = at
    for (const { side, price, size } of changes) book.set(side, price, size)
    if (book.isCrossed) return this.#invalidated("crossed")
    const told = changes[changes.length - 1]
    return told === undefined ||
      (agrees(told.bestBid, book.bestBid, 0) && agrees(told.bestAsk, book.bestAsk, 1_000_000))
      ? undefined
      : this.#invalidated("best-disagrees")
  }

  applyTrade(event: Extract<ClobEvent, { kind: "trade" }>): undefined {
    const { at, price, size, side } = event
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

  /** Those since this was last asked, in the order in which they came, and whether some may be missing. */
  takeTrades(): { readonly trades: ReadonlyArray<BookTrade>; readonly hasMissed: boolean } {
    const taken = { trades: this.#newTrades, hasMissed: this.#hasMissed }
    this.#newTrades = []
    this.#hasMissed = false
    return taken
  }

  /** A snapshot knows the price of the last trade and no more; tells whether that is news. */
  adoptLastTrade({ at, lastTradePrice: price }: BookSnapshot): boolean {
    if (price === undefined || at < this.#tradedUntil) return false
    this.#tradedUntil = at
    if (price === this.#lastTrade?.price) return false
    this.#lastTrade = { price, side: null, size: null, at: null }
    return true
  }

  applyTickSize(tickSize: number): undefined {
    this.#tickSize = tickSize
  }

  /** Compares with what the venue shows; messages that are still on their way make no doubt. */
  audit(shown: BookSnapshot): ResyncReason | undefined {
    const before = this.#audited
    const book = this.#book
    if (book === undefined) return undefined
    this.#audited = undefined
    if (book.equals(shown)) return undefined
    const isAhead = shown.at > this.#at
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
      updatedAt: this.#at,
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
      updatedAt: this.#at,
    }
  }

  #isContained(at: number, now: number): boolean {
    return at < this.#snapshotAt && now - this.#installedAt <= lateMillis
  }

  #invalidated(reason: ResyncReason): ResyncReason {
    this.invalidate()
    return reason
  }
}

/** Where nobody waits the venue tells nothing, or the price at the end of the scale. */
const agrees = (told: number | undefined, own: number | undefined, end: number): boolean =>
  told === undefined || told === (own ?? end)
