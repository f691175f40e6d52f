import { CheckedBook } from "./CheckedBook.ts"
import type { FollowedBook } from "./FollowedBook.ts"
import type { BookChange, BookTrade, PublishedBook, Quote } from "./model.ts"

/** What has been published of a book. */
interface Published {
  readonly book: CheckedBook
  seq: number
  /** Number of trades that were certainly published, and the trades still to publish. */
  trades: number
  pending: Array<BookTrade>
  hasMissed: boolean
  /** The last publication may not have arrived. */
  needsReset: boolean
  gone: BookChange["gone"]
}

/** The current book and its change since the last publication; no change means nothing to publish. */
export interface Publishable {
  readonly token: string
  /** Undefined removes the token. */
  readonly shown: { readonly quote: Quote; readonly book: PublishedBook } | undefined
  readonly change: BookChange | undefined
}

const hasTrades = ({ pending, hasMissed }: Published) => pending.length > 0 || hasMissed

/**
 * Turns the books of a shard into changes from one publication to the next, whatever happened to the books in between.
 * Sequence numbers are never reused, even if a publication may not have arrived.
 */
export class Publication {
  readonly #epoch: string
  readonly #published = new Map<string, Published>()
  /** Highest number used for a removed book or its trades: its token may come back. */
  #used = 0

  constructor(epoch: bigint) {
    this.#epoch = String(epoch)
  }

  next(token: string, followed: FollowedBook | undefined): Publishable {
    const published = this.#of(token)
    const taken = followed?.takeTrades()
    published.pending.push(...(taken?.trades ?? []))
    published.hasMissed ||= taken?.hasMissed ?? false
    const [quote, depth] = [followed?.quote(), followed?.depth()]
    if (quote === undefined || depth === undefined) {
      const gone = followed === undefined ? "left" : "unsure"
      const hasChanged = published.gone !== gone || hasTrades(published)
      published.gone = gone
      return {
        token,
        shown: undefined,
        change: hasChanged ? { ...this.#step(published, published.seq, []), gone } : undefined,
      }
    }
    const prev = published.seq
    const changes = published.book.become(depth)
    if (changes.length > 0 || published.needsReset) published.seq++
    const hasChanged = published.seq > prev || hasTrades(published) || published.gone !== undefined
    const change = published.needsReset
      ? { ...this.#step(published, prev, []), reset: true as const }
      : this.#step(published, prev, changes)
    published.gone = undefined
    const { seq, book } = published
    const trades = published.trades + published.pending.length
    return {
      token,
      shown: { quote, book: { ...depth, epoch: this.#epoch, seq, checksum: book.checksum, trades } },
      change: hasChanged ? change : undefined,
    }
  }

  /** The publications have arrived. */
  confirm(publications: ReadonlyArray<Publishable>): void {
    for (const { token, shown, change } of publications) {
      const published = this.#of(token)
      published.trades += change?.trades.length ?? 0
      published.pending = published.pending.slice(change?.trades.length ?? 0)
      if (change !== undefined) published.hasMissed = false
      if (shown !== undefined) published.needsReset = false
      if (change?.gone === "left" && published.pending.length === 0) this.#forget(token, published)
    }
  }

  /** The last publications may not have arrived. */
  markUncertain(tokens: Iterable<string>): void {
    for (const token of tokens) {
      const published = this.#published.get(token)
      if (published === undefined) continue
      published.needsReset = true
      published.gone = undefined
    }
  }

  /** Readers may have lost everything that was published. */
  markAllUncertain(): void {
    this.markUncertain(this.#published.keys())
  }

  #of(token: string): Published {
    const known = this.#published.get(token)
    if (known !== undefined) return known
    const published = {
      book: new CheckedBook(),
      seq: this.#used,
      trades: this.#used,
      pending: [],
      hasMissed: false,
      needsReset: true,
      gone: undefined,
    }
    this.#published.set(token, published)
    return published
  }

  #step(published: Published, prev: number, changes: BookChange["changes"]): BookChange {
    const { seq, trades, pending, hasMissed, book } = published
    return {
      prev,
      seq,
      checksum: book.checksum,
      changes,
      trades: [...pending],
      firstTrade: trades + 1,
      ...(hasMissed ? { missed: true as const } : {}),
    }
  }

  #forget(token: string, { seq, trades }: Published): void {
    this.#used = Math.max(this.#used, seq, trades)
    this.#published.delete(token)
  }
}
