import type { Publishable } from "./Publication.ts"
import type { BookSides } from "./walkBook.ts"

/** A book right after a trade. */
export interface TradedBook extends BookSides {
  readonly token: string
  /** When the trade happened, by the venue's clock. */
  readonly at: number
}

/** Books to record: of each token the one after its newest trade since the last time. */
export class TradedBooks {
  #pending = new Map<string, TradedBook>()

  note({ token, shown, change }: Publishable): void {
    const trade = change?.trades.at(-1)
    if (trade === undefined || shown === undefined) return
    const { bids, asks } = shown.book
    this.#pending.set(token, { token, at: trade.at, bids, asks })
  }

  take(): ReadonlyArray<TradedBook> {
    const taken = [...this.#pending.values()]
    this.#pending = new Map()
    return taken
  }
}
