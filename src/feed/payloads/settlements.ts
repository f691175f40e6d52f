import { exactAmount } from "#src/domain/amounts.ts"
import type { SettlementStatus } from "#src/settlements/model.ts"
import { amountsOf, priceOf, sideOf } from "../amounts.ts"
import type { Names } from "../Names.ts"
import type { FillRow, OrderRow, SettlementRow } from "../rows.ts"
import { enrichedToken } from "./enriched.ts"
import { fillDetails } from "./fills.ts"

/** A settlement's status change as logged. */
export interface StatusChange {
  readonly status: SettlementStatus
  readonly block: number | null
  readonly at: number
}

/** `fills` is undefined if the block has been replaced. */
export const statusPayload = (
  settlement: SettlementRow,
  taker: OrderRow,
  { status, block, at }: StatusChange,
  fills: ReadonlyArray<FillRow> | undefined,
  names: Names,
) => {
  const token = names.token(taker.token)
  const seenAt = settlement.detected_at.getTime()
  const isConfirmed = status === "confirmed"
  return {
    event_type: "status_update",
    ...enrichedToken(token),
    tx_hash: `0x${settlement.tx}`,
    status,
    token_id: token.id,
    block_number: block,
    confirmed_at: isConfirmed ? at : null,
    pending_detected_at: seenAt,
    latency_ms: isConfirmed ? Math.max(0, at - seenAt) : null,
    taker_wallet: names.wallet(taker.maker),
    maker_wallets: [...new Set(settlement.orders.slice(1).map(({ maker }) => names.wallet(maker)))],
    order_hashes: settlement.orders.map(({ order_hash }) => `0x${order_hash}`),
    confirmed_fills: isConfirmed && fills !== undefined ? fills.map((fill) => fillDetails(fill, names)) : null,
  }
}

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

/** A match seen before it is in a block. */
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
