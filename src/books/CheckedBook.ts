import type { Level } from "#src/upstream/clob/model.ts"
import { checksumText, levelHash } from "./checksum.ts"
import { type BookSide, OrderBook } from "./OrderBook.ts"

/** From now on this much waits at that price; 0 is nothing. */
export type ChangedLevel = readonly [side: BookSide, price: number, size: number]

/** Both sides of a book, the best level first. */
export interface Sides {
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
}

const sides = ["bid", "ask"] as const

/** A book with its checksum, which costs no more than the levels that change. */
export class CheckedBook {
  readonly #book = new OrderBook({ bids: [], asks: [] })
  #sum = 0

  get checksum(): string {
    return checksumText(this.#sum)
  }

  get bestBid(): number | undefined {
    return this.#book.bestBid
  }

  get bestAsk(): number | undefined {
    return this.#book.bestAsk
  }

  sizeAt(side: BookSide, price: number): number {
    return this.#book.sizeAt(side, price)
  }

  levels(side: BookSide): ReadonlyArray<Level> {
    return this.#book.levels(side)
  }

  /** Tells whether that is another size than before. */
  set([side, price, size]: ChangedLevel): boolean {
    const before = this.#book.sizeAt(side, price)
    if (before === size) return false
    if (before > 0) this.#sum ^= levelHash(side, price, before)
    if (size > 0) this.#sum ^= levelHash(side, price, size)
    this.#book.set(side, price, size)
    return true
  }

  /** Makes it the same as another one; returns what it took. */
  become({ bids, asks }: Sides): ReadonlyArray<ChangedLevel> {
    const changes: Array<ChangedLevel> = []
    for (const side of sides) {
      const levels = side === "bid" ? bids : asks
      const there = new Set(levels.map(({ price }) => price))
      for (const { price } of this.#book.levels(side)) if (!there.has(price)) changes.push([side, price, 0])
      for (const { price, size } of levels) {
        if (this.#book.sizeAt(side, price) !== size) changes.push([side, price, size])
      }
    }
    for (const change of changes) this.set(change)
    return changes
  }
}
