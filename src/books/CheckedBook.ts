import { crc32 } from "node:zlib"
import { showDecimal } from "#src/upstream/clob/decimal.ts"
import type { Level } from "#src/upstream/clob/model.ts"
import { type BookSide, OrderBook } from "./OrderBook.ts"

/** The new size at a price; 0 removes the level. */
export type ChangedLevel = readonly [side: BookSide, price: number, size: number]

/** Both sides of a book, the best level first. */
export interface Sides {
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
}

const sides = ["bid", "ask"] as const

const levelHash = (side: BookSide, price: number, size: number): number =>
  crc32(`${side}:${showDecimal(price)}:${showDecimal(size)}`)

/** A book with its checksum: the XOR of the hashes of all levels, so a changed level costs two hashes. */
export class CheckedBook {
  readonly #book = new OrderBook({ bids: [], asks: [] })
  #sum = 0

  get checksum(): string {
    return (this.#sum >>> 0).toString(16).padStart(8, "0")
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

  /** Returns whether the size has changed. */
  set([side, price, size]: ChangedLevel): boolean {
    const before = this.#book.sizeAt(side, price)
    if (before === size) return false
    if (before > 0) this.#sum ^= levelHash(side, price, before)
    if (size > 0) this.#sum ^= levelHash(side, price, size)
    this.#book.set(side, price, size)
    return true
  }

  /** Makes the book equal to another one. Returns the changes. */
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
