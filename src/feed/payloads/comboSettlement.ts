import { exactAmount } from "#src/domain/amounts.ts"
import { amountsOf, priceOf, sideOf } from "../amounts.ts"
import type { Combo } from "../combos/Combos.ts"
import type { Names } from "../Names.ts"
import type { FillRow, OrderRow, SettlementRow } from "../rows.ts"
import { comboPayload, outcomeSide } from "./combo.ts"
import { takerOf } from "./fill.ts"
import type { StatusChange } from "./statusUpdate.ts"

const tradeOf = (order: OrderRow, taker: OrderRow, combo: Combo, names: Names) => {
  const token = names.token(order.token).id
  return {
    position_id: token,
    order_hash: `0x${order.order_hash}`,
    maker: names.wallet(order.maker),
    signer: `0x${order.signer}`,
    taker: names.wallet(taker.maker),
    side: sideOf(order.side),
    outcome: outcomeSide(combo, token),
    price: priceOf(order.usd, order.shares),
    size: exactAmount(order.shares),
    amount_usdc: exactAmount(order.usd),
    fee: exactAmount(order.fee),
  }
}

export const comboExecutionPayload = (
  { tx, detected_at, orders }: SettlementRow,
  taker: OrderRow,
  combo: Combo,
  names: Names,
) => {
  const token = names.token(taker.token).id
  return {
    event_type: "combo_execution",
    tx_hash: `0x${tx}`,
    status: "pending",
    detected_at: detected_at.getTime(),
    block_number: null,
    ...comboPayload(combo),
    taker_wallet: names.wallet(taker.maker),
    taker_token: token,
    taker_side: sideOf(taker.side),
    outcome: outcomeSide(combo, token),
    taker_price: priceOf(taker.usd, taker.shares),
    taker_size: exactAmount(taker.shares),
    amount_usdc: exactAmount(taker.usd),
    order_hashes: orders.map(({ order_hash }) => `0x${order_hash}`),
    trades: orders.slice(1).map((order) => tradeOf(order, taker, combo, names)),
  }
}

const executionStatus = { pending: "RETRYING", confirmed: "CONFIRMED", dropped: "FAILED" } as const

const fillOf = (fill: FillRow, combo: Combo, names: Names) => {
  const token = names.token(fill.token).id
  const { maker_amount, taker_amount } = amountsOf(fill)
  return {
    position_id: token,
    order_hash: `0x${fill.order_hash}`,
    maker_address: names.wallet(fill.maker),
    taker_address: takerOf(fill, names),
    side: sideOf(fill.side),
    outcome_side: outcomeSide(combo, token),
    price: priceOf(fill.usd, fill.shares),
    size: exactAmount(fill.shares),
    maker_amount_e6: Number(maker_amount),
    taker_amount_e6: Number(taker_amount),
  }
}

/** `fills` are undefined where there is no block, or another by now. What the transaction cost is not read. */
export const comboStatusPayload = (
  { tx, detected_at, orders }: SettlementRow,
  taker: OrderRow,
  { status, block, at }: StatusChange,
  fills: ReadonlyArray<FillRow> | undefined,
  combo: Combo,
  names: Names,
) => {
  const seenAt = detected_at.getTime()
  const isConfirmed = status === "confirmed"
  const maker = orders[1]
  return {
    event_type: "combo_status_update",
    tx_hash: `0x${tx}`,
    block_number: block,
    confirmed_at: isConfirmed ? at : null,
    execution_status: executionStatus[status],
    pending_detected_at: seenAt,
    latency_ms: isConfirmed ? Math.max(0, at - seenAt) : null,
    ...comboPayload(combo),
    maker_address: maker === undefined ? null : names.wallet(maker.maker),
    signer_address: maker === undefined ? null : `0x${maker.signer}`,
    taker_address: names.wallet(taker.maker),
    confirmed_fills: fills?.map((fill) => fillOf(fill, combo, names)) ?? null,
    fees:
      fills?.map(({ order_hash, fee }) => ({ order_hash: `0x${order_hash}`, amount_usdc: exactAmount(fee) })) ?? null,
    confirmed_transfers: null,
    gas_used: null,
    effective_gas_price: null,
  }
}
