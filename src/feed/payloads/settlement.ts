import { exactAmount } from "#src/domain/amounts.ts"
import { amountsOf, priceOf, sideOf } from "../amounts.ts"
import { enrichedToken } from "../enriched.ts"
import type { Names } from "../Names.ts"
import type { OrderRow, SettlementRow } from "../rows.ts"

const tradeOf = (order: OrderRow, taker: OrderRow, names: Names) => {
  const token = names.token(order.token)
  return {
    maker: names.wallet(order.maker),
    signer: `0x${order.signer}`,
    taker: names.wallet(taker.maker),
    token_id: token.id,
    side: sideOf(order.side),
    price: priceOf(order.usd, order.shares),
    size: exactAmount(order.shares),
    ...amountsOf(order),
    outcome: token.info?.outcome ?? null,
    order_hash: `0x${order.order_hash}`,
  }
}

/** A match that was seen before it was in a block. */
export const settlementPayload = ({ tx, detected_at, orders }: SettlementRow, taker: OrderRow, names: Names) => {
  const token = names.token(taker.token)
  return {
    event_type: "settlement",
    ...enrichedToken(token),
    tx_hash: `0x${tx}`,
    status: "pending",
    detected_at: detected_at.getTime(),
    block_number: null,
    taker_wallet: names.wallet(taker.maker),
    taker_token: token.id,
    taker_side: sideOf(taker.side),
    taker_price: priceOf(taker.usd, taker.shares),
    taker_size: exactAmount(taker.shares),
    trades: orders.slice(1).map((order) => tradeOf(order, taker, names)),
  }
}
