import type { BookSnapshot, Level } from "#src/upstream/clob/model.ts"

export type BookSide = "bid" | "ask"

/** Sizes by price; 10⁻⁶ shares at 10⁻⁶ dollars. */
export class OrderBook {
  readonly #levels = { bid: new Map<number, number>(), ask: new Map<number, number>() }
  readonly #best: { bid: number | undefined; ask: number | undefined }

  constructor({ bids, asks }: Pick<BookSnapshot, "bids" | "asks">) {
    for (const { price, size } of bids) this.#levels.bid.set(price, size)
    for (const { price, size } of asks) this.#levels.ask.set(price, size)
    this.#best = { bid: this.#find("bid"), ask: this.#find("ask") }
  }

  get bestBid(): number | undefined {
    return this.#best.bid
  }

  get bestAsk(): number | undefined {
    return this.#best.ask
  }

  /** Whether the best bid reaches the best ask: the venue would have matched them. */
  get isCrossed(): boolean {
    const { bid, ask } = this.#best
    return bid !== undefined && ask !== undefined && bid >= ask
  }

  /** Sets the size at a price; 0 removes the level. */
  set(side: BookSide, price: number, size: number): void {
    const levels = this.#levels[side]
    const best = this.#best[side]
    if (size > 0) {
      levels.set(price, size)
      if (best === undefined || (side === "bid" ? price > best : price < best)) this.#best[side] = price
    } else {
      levels.delete(price)
      if (price === best) this.#best[side] = this.#find(side)
    }
  }

  /** 0 if there is no such level. */
  sizeAt(side: BookSide, price: number): number {
    return this.#levels[side].get(price) ?? 0
  }

  /** The best level first. */
  levels(side: BookSide): ReadonlyArray<Level> {
    const levels = [...this.#levels[side]].map(([price, size]) => ({ price, size }))
    return levels.sort((a, b) => (side === "bid" ? b.price - a.price : a.price - b.price))
  }

  equals({ bids, asks }: Pick<BookSnapshot, "bids" | "asks">): boolean {
    return this.#holds("bid", bids) && this.#holds("ask", asks)
  }

  #holds(side: BookSide, levels: ReadonlyArray<Level>): boolean {
    const own = this.#levels[side]
    return own.size === levels.length && levels.every(({ price, size }) => own.get(price) === size)
  }

  #find(side: BookSide): number | undefined {
    let best: number | undefined
    for (const price of this.#levels[side].keys()) {
      if (best === undefined || (side === "bid" ? price > best : price < best)) best = price
    }
    return best
  }
}
