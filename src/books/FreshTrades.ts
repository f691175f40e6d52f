import { LRUCache } from "lru-cache"
import type { BookTrade } from "./model.ts"

const maxRemembered = 100

const keyOf = ({ transaction, at, price, size, side }: BookTrade) => `${transaction}:${at}:${price}:${size}:${side}`

/** Detects repeated trades: the venue sends some twice, and two shards may have received the same one. */
export class FreshTrades {
  readonly #seen = new LRUCache<string, true>({ max: maxRemembered })

  isFresh(trade: BookTrade): boolean {
    // Without a transaction, two equal trades may well be two trades.
    if (trade.transaction === null) return true
    const key = keyOf(trade)
    if (this.#seen.has(key)) return false
    this.#seen.set(key, true)
    return true
  }
}
