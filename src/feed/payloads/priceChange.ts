import { exactAmount } from "#src/domain/amounts.ts"
import { enrichedToken } from "../enriched.ts"
import type { TokenName } from "../Names.ts"

/** A midpoint that has moved, as its entry in the log says it, in 10⁻⁶. */
export interface PriceMoved {
  readonly bid: number
  readonly ask: number
  readonly mid: number
  readonly previous: number
}

export const priceChangePayload = (token: TokenName, { bid, ask, mid, previous }: PriceMoved, at: number) => ({
  event_type: "price_change",
  ...enrichedToken(token),
  token_id: token.id,
  price: exactAmount(mid),
  previous_price: exactAmount(previous),
  best_bid: exactAmount(bid),
  best_ask: exactAmount(ask),
  updated_at: at,
})
