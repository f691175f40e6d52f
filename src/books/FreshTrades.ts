import type { BookTrade } from "./model.ts"

const mostRemembered = 100

const nameOf = ({ transaction, at, price, size, side }: BookTrade) => `${transaction}:${at}:${price}:${size}:${side}`

/** Tells trades that are new from those heard before: the venue repeats itself, and two shards may have heard the same. */
export class FreshTrades {
  readonly #heard = new Set<string>()

  isFresh(trade: BookTrade): boolean {
    // Without a name two equal ones may well be two.
    if (trade.transaction === null) return true
    const name = nameOf(trade)
    if (this.#heard.has(name)) return false
    this.#heard.add(name)
    for (const oldest of this.#heard) {
      if (this.#heard.size <= mostRemembered) break
      this.#heard.delete(oldest)
    }
    return true
  }
}
