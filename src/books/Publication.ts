import { CheckedBook } from "./CheckedBook.ts"
import type { FollowedBook } from "./FollowedBook.ts"
import type { BookChange, BookTrade, KeptBook, Quote } from "./model.ts"

/** What others have been told of a book. */
interface Told {
  readonly book: CheckedBook
  seq: number
  /** Trades that have been told for certain, and those that have not. */
  trades: number
  pending: Array<BookTrade>
  hasMissed: boolean
  /** Nobody can be sure to have heard what was told last. */
  isLost: boolean
  gone: BookChange["gone"]
}

/** A book as it is now told, and what is different from the time before; without a difference there is nothing to tell. */
export interface Publishable {
  readonly token: string
  /** Without it, what was shown of the token is taken away. */
  readonly shown: { readonly quote: Quote; readonly book: KeptBook } | undefined
  readonly change: BookChange | undefined
}

const hasTrades = ({ pending, hasMissed }: Told) => pending.length > 0 || hasMissed

/**
 * Turns the books of a shard into changes that lead from one publication to the next, whatever happened to the books in
 * between. Numbers are never used twice, even where a publication may not have arrived.
 */
export class Publication {
  readonly #epoch: string
  readonly #told = new Map<string, Told>()
  /** The highest number of a book or a trade that is no longer told of: its token may come back. */
  #used = 0

  constructor(epoch: bigint) {
    this.#epoch = String(epoch)
  }

  next(token: string, followed: FollowedBook | undefined): Publishable {
    const told = this.#of(token)
    const heard = followed?.takeTrades()
    told.pending.push(...(heard?.trades ?? []))
    told.hasMissed ||= heard?.hasMissed ?? false
    const [quote, depth] = [followed?.quote(), followed?.depth()]
    if (quote === undefined || depth === undefined) {
      const gone = followed === undefined ? "left" : "unsure"
      const isNews = told.gone !== gone || hasTrades(told)
      told.gone = gone
      return { token, shown: undefined, change: isNews ? { ...this.#step(told, told.seq, []), gone } : undefined }
    }
    const prev = told.seq
    const changes = told.book.become(depth)
    if (changes.length > 0 || told.isLost) told.seq++
    const isNews = told.seq > prev || hasTrades(told) || told.gone !== undefined
    const change = told.isLost
      ? { ...this.#step(told, prev, []), reset: true as const }
      : this.#step(told, prev, changes)
    told.gone = undefined
    const { seq, book } = told
    const trades = told.trades + told.pending.length
    return {
      token,
      shown: { quote, book: { ...depth, epoch: this.#epoch, seq, checksum: book.checksum, trades } },
      change: isNews ? change : undefined,
    }
  }

  /** They have arrived. */
  settle(published: ReadonlyArray<Publishable>): void {
    for (const { token, shown, change } of published) {
      const told = this.#of(token)
      told.trades += change?.trades.length ?? 0
      told.pending = told.pending.slice(change?.trades.length ?? 0)
      if (change !== undefined) told.hasMissed = false
      if (shown !== undefined) told.isLost = false
      if (change?.gone === "left" && told.pending.length === 0) this.#forget(token, told)
    }
  }

  /** They may or may not have arrived. */
  doubt(tokens: Iterable<string>): void {
    for (const token of tokens) {
      const told = this.#told.get(token)
      if (told === undefined) continue
      told.isLost = true
      told.gone = undefined
    }
  }

  /** Whatever was told, those who read it may have lost it. */
  doubtAll(): void {
    this.doubt(this.#told.keys())
  }

  #of(token: string): Told {
    const known = this.#told.get(token)
    if (known !== undefined) return known
    const told = {
      book: new CheckedBook(),
      seq: this.#used,
      trades: this.#used,
      pending: [],
      hasMissed: false,
      isLost: true,
      gone: undefined,
    }
    this.#told.set(token, told)
    return told
  }

  #step(told: Told, prev: number, changes: BookChange["changes"]): BookChange {
    const { seq, trades, pending, hasMissed, book } = told
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

  #forget(token: string, { seq, trades }: Told): void {
    this.#used = Math.max(this.#used, seq, trades)
    this.#told.delete(token)
  }
}
