import type { Status } from "#src/settlements/model.ts"
import { enrichedToken } from "../enriched.ts"
import type { Names } from "../Names.ts"
import type { FillRow, OrderRow, SettlementRow } from "../rows.ts"
import { fillDetails } from "./fill.ts"

/** What a settlement has become, as its entry in the log says it. */
export interface StatusChange {
  readonly status: Status
  readonly block: number | null
  readonly at: number
}

/** `fills` are undefined where the block has been replaced since. */
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
