import { CheckedBook } from "#src/books/CheckedBook.ts"
import { FreshTrades } from "#src/books/FreshTrades.ts"
import type { BookChange, BookTrade, KeptBook } from "#src/books/model.ts"
import type { BookSide } from "#src/books/OrderBook.ts"
import type { Frame } from "../Frame.ts"
import * as frames from "./frames.ts"

interface Told {
  readonly epoch: string
  readonly seq: number
  readonly best: frames.Best
}

/** A shard heals most doubts within a few hundred milliseconds: that is not worth a word. */
const doubtfulFlushes = 4

/** A copy of one book for those who listen to it here, and what they have not been told yet. */
export class Replica {
  readonly names: frames.BookNames
  readonly shard: number
  /** How many sockets have named it. */
  listeners = 0
  /** The number of the last flush in which there was something to tell. */
  toldIn = 0
  #book: CheckedBook | undefined
  #isSure = false
  #epoch = ""
  #seq = 0
  #text: string | undefined
  /** What was heard while the whole book is being read. */
  #held: Array<readonly [epoch: string, change: BookChange]> | undefined
  #tradesHeard = { epoch: "", number: 0 }
  readonly #freshTrades = new FreshTrades()

  #told: Told | undefined
  #touched = new Map<string, readonly [side: BookSide, price: number]>()
  #trades: Array<{ readonly epoch: string; readonly number: number; readonly trade: BookTrade }> = []
  /** Somebody listens who has not been given the book. */
  #isAwaited = false
  #hasMissed = false
  #doubtedFor = 0

  constructor(names: frames.BookNames, shard: number) {
    this.names = names
    this.shard = shard
  }

  get isReady(): boolean {
    return this.#book !== undefined && this.#isSure
  }

  /** In doubt for so long that those who listen have been told. */
  get isStale(): boolean {
    return this.#doubtedFor >= doubtfulFlushes
  }

  /** Somebody listens from now on who is given the book as soon as it is there. */
  await(): void {
    this.#isAwaited = true
  }

  /** Nobody knows whether it is still right. */
  doubt(): void {
    this.#isSure = false
  }

  /** Trades may have got lost on the way. */
  miss(): void {
    this.#hasMissed = true
  }

  beginReading(): void {
    this.#held ??= []
  }

  /** It could not be read. */
  giveUpReading(): void {
    this.#held = undefined
    this.doubt()
  }

  /** The whole book, or that there is none; tells whether it has to be read once more. */
  install(kept: KeptBook | undefined): boolean {
    const held = this.#held ?? []
    this.#held = undefined
    if (kept === undefined) this.doubt()
    else this.#become(kept)
    return held.map(([epoch, change]) => this.#follow(epoch, change)).some((followed) => !followed)
  }

  /** What its shard tells of it; tells whether the whole book has to be read. */
  hear(epoch: string, change: BookChange): boolean {
    this.#takeTrades(epoch, change)
    if (change.missed) this.#hasMissed = true
    if (this.#held === undefined) return !this.#follow(epoch, change)
    this.#held.push([epoch, change])
    return false
  }

  /** The whole book as it is now. */
  get snapshot(): string {
    const book = this.#book ?? new CheckedBook()
    this.#text ??= frames.snapshotText(this.names, this.#place(book), book.levels("bid"), book.levels("ask"))
    return this.#text
  }

  /** What those who listen have not been told yet. */
  flush(now: number): ReadonlyArray<Frame> {
    const updates: Array<object> = []
    const whole: Array<Frame> = []
    const book = this.#book
    if (book !== undefined && this.#isSure) {
      const told = this.#told
      const isElsewhere = told !== undefined && told.epoch !== this.#epoch
      if (this.#isAwaited || isElsewhere) whole.push(this.#whole(isElsewhere || this.#hasMissed))
      else if (told !== undefined) updates.push(...this.#updates(book, told))
      this.#settle(book)
    } else {
      this.#doubtedFor++
      const isDue = this.#doubtedFor === doubtfulFlushes && this.#told !== undefined
      if (isDue && book !== undefined) updates.push(frames.bookStale(this.names, this.#place(book)))
    }
    for (const { trade } of this.#trades) updates.push(frames.lastTradePrice(this.names, trade))
    this.#trades = []
    return updates.length === 0 ? whole : [...whole, frames.updateBatch(updates, now)]
  }

  #whole(gap: boolean): Frame {
    return frames.snapshotBatch([this.snapshot], { totalSent: 1, gap })
  }

  #updates(book: CheckedBook, told: Told): ReadonlyArray<object> {
    const updates: Array<object> = []
    const gap = this.#hasMissed || this.isStale
    if (this.#seq > told.seq || gap) {
      const changes = [...this.#touched.values()].map(
        ([side, price]) => [side, price, book.sizeAt(side, price)] as const,
      )
      updates.push(frames.bookUpdate(this.names, this.#place(book), told.seq, changes, gap))
    }
    const change = frames.priceChange(this.names, told.best, bestOf(book), (side, price) => book.sizeAt(side, price))
    if (change.assets.length > 0) updates.push(change)
    return updates
  }

  #settle(book: CheckedBook): void {
    this.#told = { epoch: this.#epoch, seq: this.#seq, best: bestOf(book) }
    this.#touched.clear()
    this.#isAwaited = false
    this.#hasMissed = false
    this.#doubtedFor = 0
  }

  #place(book: CheckedBook): frames.BookPlace {
    return { epoch: this.#epoch, seq: this.#seq, checksum: book.checksum }
  }

  #become(kept: KeptBook): void {
    const isFirst = this.#book === undefined
    const book = this.#book ?? new CheckedBook()
    this.#book = book
    for (const [side, price] of book.become(kept)) this.#touch(side, price)
    this.#epoch = kept.epoch
    this.#seq = kept.seq
    this.#text = undefined
    this.#isSure = true
    if (!isFirst) return
    if (!this.#isAwaited) this.#forgetTradesBefore(kept)
    // Whoever asked for it is given this very book.
    this.#told = { epoch: kept.epoch, seq: kept.seq, best: bestOf(book) }
    this.#touched.clear()
  }

  /** False where nothing leads from what is here to what was told. */
  #follow(epoch: string, change: BookChange): boolean {
    const book = this.#book
    if (change.gone !== undefined) {
      this.doubt()
      return true
    }
    const isSame = book !== undefined && epoch === this.#epoch
    if (isSame && change.seq <= this.#seq) {
      this.#isSure = true
      return true
    }
    if (!isSame || change.reset || change.prev !== this.#seq) return false
    for (const level of change.changes) if (book.set(level)) this.#touch(level[0], level[1])
    this.#seq = change.seq
    this.#text = undefined
    this.#isSure = book.checksum === change.checksum
    return this.#isSure
  }

  #touch(side: BookSide, price: number): void {
    this.#touched.set(`${side}:${price}`, [side, price])
  }

  #takeTrades(epoch: string, { trades, firstTrade }: BookChange): void {
    if (trades.length === 0) return
    const before = this.#tradesHeard.epoch === epoch ? this.#tradesHeard.number : 0
    trades.forEach((trade, place) => {
      const number = firstTrade + place
      if (number > before && this.#freshTrades.isFresh(trade)) this.#trades.push({ epoch, number, trade })
    })
    this.#tradesHeard = { epoch, number: Math.max(before, firstTrade + trades.length - 1) }
  }

  /** Nobody has listened yet: what is in the book already is no news. */
  #forgetTradesBefore({ epoch, trades }: KeptBook): void {
    this.#trades = this.#trades.filter((each) => each.epoch === epoch && each.number > trades)
    const heard = this.#tradesHeard
    this.#tradesHeard = { epoch, number: heard.epoch === epoch ? Math.max(heard.number, trades) : trades }
  }
}

const bestOf = (book: CheckedBook): frames.Best => ({ bid: book.bestBid, ask: book.bestAsk })
