import type { FeeCharge, Place } from "#src/domain/Fact.ts"
import type * as Chain from "#src/upstream/chain/events.ts"

/** What shares are worth at the price of an order, half up. */
const worth = (shares: number, order: Pick<Chain.OrderFilled, "usd" | "shares">): number => {
  const all = BigInt(order.shares)
  return all === 0n ? 0 : Number((2n * BigInt(shares) * BigInt(order.usd) + all) / (2n * all))
}

/** A fee that was charged to an order. */
export const feeChargeOf = (place: Place, event: Chain.FeeCharged, order: Chain.OrderFilled): FeeCharge => {
  const { receiver, amount } = event
  const { token, orderHash } = order
  const inShares = event.token !== undefined
  const usd = inShares ? worth(amount, order) : amount
  return { ...place, kind: "fee_charge", receiver, token, inShares, amount, usd, orderHash }
}
