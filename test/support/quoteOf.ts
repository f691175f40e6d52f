import { finePrice } from "#src/domain/amounts.ts"
import type { Quote } from "#src/ticks/live/twap.ts"

/** The prices of a tick, in 10⁻⁸ dollars. */
export const quoteOf = (price: bigint, bid = price, ask = price): Quote => ({
  price: finePrice(price),
  bid: finePrice(bid),
  ask: finePrice(ask),
})
