import type { Publishable } from "./Publication.ts"
import type { BookSides } from "./walkBook.ts"

/** A book right after a trade. */
export interface TradedBook extends BookSides {
  readonly token: string
  /** When the trade happened, by the venue's clock. */
  readonly at: number
}

/** Books to record: of each token the one after its newest trade, not more often than wanted. */
export class TradedBooks {
  readonly #pending = new Map<string, TradedBook>()
  readonly #takenAt = new Map<string, number>()

  note({ token, shown, change }: Publishable): void {
    const trade = change?.trades.at(-1)
    if (trade === undefined || shown === undefined) return
    const { bids, asks } = shown.book
    this.#pending.set(token, { token, at: trade.at, bids, asks })
  }

  /** Takes those whose token had none taken in the last `every` milliseconds. */
  take(now: number, every: number): ReadonlyArray<TradedBook> {
    for (const [token, at] of this.#takenAt) if (now - at >= every) this.#takenAt.delete(token)
    const taken = [...this.#pending.values()].filter(({ token }) => !this.#takenAt.has(token))
    for (const { token } of taken) {
      this.#pending.delete(token)
      this.#takenAt.set(token, now)
    }
    return taken
  }
}
