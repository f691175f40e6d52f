import { CheckedBook } from "#src/books/CheckedBook.ts"
import { FreshTrades } from "#src/books/FreshTrades.ts"
import type { BookChange, BookTrade, PublishedBook } from "#src/books/model.ts"
import type { BookSide } from "#src/books/OrderBook.ts"
import type { Frame } from "../channel/Frame.ts"
import * as frames from "./frames.ts"

/** The state that subscribers have. */
interface PublishedState {
  readonly epoch: string
  readonly seq: number
  readonly best: frames.BestPrices
}

/** Shorter uncertainty is not reported: a shard recovers most books within a few hundred milliseconds. */
const flushesUntilStale = 4

/** A copy of one book, with the changes that its subscribers have not received yet. */
export class BookReplica {
  readonly names: frames.BookNames
  readonly shard: number
  /** Number of sockets that have named the book. */
  subscribers = 0
  /** Number of the last flush with changes. */
  lastChangedFlush = 0
  #book: CheckedBook | undefined
  #isCertain = false
  #epoch = ""
  #seq = 0
  #snapshotText: string | undefined
  /** Changes received while the whole book is being read. */
  #held: Array<readonly [epoch: string, change: BookChange]> | undefined
  #lastTrade = { epoch: "", number: 0 }
  readonly #freshTrades = new FreshTrades()

  #published: PublishedState | undefined
  #touched = new Map<string, readonly [side: BookSide, price: number]>()
  #trades: Array<{ readonly epoch: string; readonly number: number; readonly trade: BookTrade }> = []
  #isAwaited = false
  #hasMissed = false
  #uncertainFlushes = 0

  constructor(names: frames.BookNames, shard: number) {
    this.names = names
    this.shard = shard
  }

  get isReady(): boolean {
    return this.#book !== undefined && this.#isCertain
  }

  /** Uncertain for so long that subscribers have been notified. */
  get isStale(): boolean {
    return this.#uncertainFlushes >= flushesUntilStale
  }

  /** A subscriber waits for its first snapshot, which the next flush with a ready book sends. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  /** A new subscriber gets the snapshot as soon as the book is ready. */
  sendWhenReady(): void {
    this.#isAwaited = true
  }

  /** The book may be outdated. */
  markUncertain(): void {
    this.#isCertain = false
  }

  /** Trades may have been lost. */
  markMissed(): void {
    this.#hasMissed = true
  }

  beginReading(): void {
    this.#held ??= []
  }

  abandonReading(): void {
    this.#held = undefined
    this.markUncertain()
  }

  /** Installs the whole book, if there is one; returns whether it has to be read again. */
  install(kept: PublishedBook | undefined): boolean {
    const held = this.#held ?? []
    this.#held = undefined
    if (kept === undefined) this.markUncertain()
    else this.#replaceBook(kept)
    return held.map(([epoch, change]) => this.#applyChange(epoch, change)).some((applied) => !applied)
  }

  /** Applies a change of the shard; returns whether the whole book has to be read. */
  apply(epoch: string, change: BookChange): boolean {
    this.#takeTrades(epoch, change)
    if (change.missed) this.#hasMissed = true
    if (this.#held === undefined) return !this.#applyChange(epoch, change)
    this.#held.push([epoch, change])
    return false
  }

  /** The current book, encoded. */
  get snapshot(): string {
    const book = this.#book ?? new CheckedBook()
    this.#snapshotText ??= frames.snapshotText(this.names, this.#version(book), book.levels("bid"), book.levels("ask"))
    return this.#snapshotText
  }

  /** Frames with the changes since the last flush. */
  flush(now: number): ReadonlyArray<Frame> {
    const updates: Array<object> = []
    const snapshots: Array<Frame> = []
    const book = this.#book
    if (book !== undefined && this.#isCertain) {
      const published = this.#published
      const isNewEpoch = published !== undefined && published.epoch !== this.#epoch
      if (this.#isAwaited || isNewEpoch) snapshots.push(this.#snapshotFrame(isNewEpoch || this.#hasMissed))
      else if (published !== undefined) updates.push(...this.#updates(book, published))
      this.#markPublished(book)
    } else {
      this.#uncertainFlushes++
      const becomesStale = this.#uncertainFlushes === flushesUntilStale && this.#published !== undefined
      if (becomesStale && book !== undefined) updates.push(frames.bookStale(this.names, this.#version(book)))
    }
    for (const { trade } of this.#trades) updates.push(frames.lastTradePrice(this.names, trade))
    this.#trades = []
    return updates.length === 0 ? snapshots : [...snapshots, frames.updateBatch(updates, now)]
  }

  #snapshotFrame(gap: boolean): Frame {
    return frames.snapshotBatch([this.snapshot], { totalSent: 1, gap })
  }

  #updates(book: CheckedBook, published: PublishedState): ReadonlyArray<object> {
    const updates: Array<object> = []
    const gap = this.#hasMissed || this.isStale
    if (this.#seq > published.seq || gap) {
      const changes = [...this.#touched.values()].map(
        ([side, price]) => [side, price, book.sizeAt(side, price)] as const,
      )
      updates.push(frames.bookUpdate(this.names, this.#version(book), published.seq, changes, gap))
    }
    const change = frames.priceChange(this.names, published.best, bestOf(book), (side, price) =>
      book.sizeAt(side, price),
    )
    if (change.assets.length > 0) updates.push(change)
    return updates
  }

  #markPublished(book: CheckedBook): void {
    this.#published = { epoch: this.#epoch, seq: this.#seq, best: bestOf(book) }
    this.#touched.clear()
    this.#isAwaited = false
    this.#hasMissed = false
    this.#uncertainFlushes = 0
  }

  #version(book: CheckedBook): frames.BookVersion {
    return { epoch: this.#epoch, seq: this.#seq, checksum: book.checksum }
  }

  #replaceBook(kept: PublishedBook): void {
    const isFirst = this.#book === undefined
    const book = this.#book ?? new CheckedBook()
    this.#book = book
    for (const [side, price] of book.become(kept)) this.#touch(side, price)
    this.#epoch = kept.epoch
    this.#seq = kept.seq
    this.#snapshotText = undefined
    this.#isCertain = true
    if (!isFirst) return
    if (!this.#isAwaited) this.#dropTradesBefore(kept)
    // The first subscribers get this very book as their snapshot.
    this.#published = { epoch: kept.epoch, seq: kept.seq, best: bestOf(book) }
    this.#touched.clear()
  }

  /** False if the change does not continue the current state. */
  #applyChange(epoch: string, change: BookChange): boolean {
    const book = this.#book
    if (change.gone !== undefined) {
      this.markUncertain()
      return true
    }
    const isSameEpoch = book !== undefined && epoch === this.#epoch
    if (isSameEpoch && change.seq <= this.#seq) {
      this.#isCertain = true
      return true
    }
    if (!isSameEpoch || change.reset || change.prev !== this.#seq) return false
    for (const level of change.changes) if (book.set(level)) this.#touch(level[0], level[1])
    this.#seq = change.seq
    this.#snapshotText = undefined
    this.#isCertain = book.checksum === change.checksum
    return this.#isCertain
  }

  #touch(side: BookSide, price: number): void {
    this.#touched.set(`${side}:${price}`, [side, price])
  }

  #takeTrades(epoch: string, { trades, firstTrade }: BookChange): void {
    if (trades.length === 0) return
    const before = this.#lastTrade.epoch === epoch ? this.#lastTrade.number : 0
    trades.forEach((trade, index) => {
      const number = firstTrade + index
      if (number > before && this.#freshTrades.isFresh(trade)) this.#trades.push({ epoch, number, trade })
    })
    this.#lastTrade = { epoch, number: Math.max(before, firstTrade + trades.length - 1) }
  }

  /** There was no subscriber yet: trades already in the book are not news. */
  #dropTradesBefore({ epoch, trades }: PublishedBook): void {
    this.#trades = this.#trades.filter((each) => each.epoch === epoch && each.number > trades)
    const last = this.#lastTrade
    this.#lastTrade = { epoch, number: last.epoch === epoch ? Math.max(last.number, trades) : trades }
  }
}

const bestOf = (book: CheckedBook): frames.BestPrices => ({ bid: book.bestBid, ask: book.bestAsk })
