import { exactAmount } from "#src/domain/amounts.ts"
import type { ModuleOperation } from "#src/domain/ComboKind.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { amountsOf, priceOf, sideOf } from "../amounts.ts"
import type { Combo, Leg } from "../combos/Combos.ts"
import { moduleNames } from "../combos/positionId.ts"
import type { Names } from "../Names.ts"
import type { FactRow, FillRow, OrderRow, SettlementRow } from "../rows.ts"
import { takerOf } from "./fills.ts"
import type { StatusChange } from "./settlements.ts"

/** Names of what modules do in messages. */
export const operationActions = {
  split: "Split",
  merge: "Merge",
  horizontal_split: "HorizontalSplit",
  horizontal_merge: "HorizontalMerge",
  convert: "Convert",
  wrap: "Wrap",
  unwrap: "Unwrap",
  compress: "Compress",
  extract: "Extract",
  inject: "Inject",
  convert_to_yes_basket: "ConvertToYesBasket",
  merge_from_yes_basket: "MergeFromYesBasket",
} as const satisfies Readonly<Record<ModuleOperation, string>>

type LifecycleAction = "Prepare" | "Redeem" | "Transfer" | (typeof operationActions)[ModuleOperation]

/** An action on a combo other than trading it. */
export interface Lifecycle {
  readonly action: LifecycleAction
  readonly user: string | null
  /** Tokens given and received. */
  readonly from: ReadonlyArray<string>
  readonly to: ReadonlyArray<string>
  readonly amount: bigint | null
  readonly payout: bigint | null
  /** What is left of a combo whose resolved legs were removed. */
  readonly remaining?: Combo | undefined
}

/** Legs of a combo that what remains of it lacks. */
const removedLegs = ({ legs }: Combo, remaining: Combo | undefined): ReadonlyArray<string> => {
  if (remaining === undefined) return []
  const kept = new Set(remaining.legs.map(({ id }) => id))
  return legs.flatMap(({ id }) => (kept.has(id) ? [] : [id]))
}

const usdc = (amount: bigint | null) => (amount === null ? null : exactAmount(amount))
const e6 = (amount: bigint | null) => (amount === null ? null : Number(amount))

export const lifecyclePayload = (
  { tx, block, log_index, at }: FactRow,
  combo: Combo,
  { action, user, from, to, amount, payout, remaining }: Lifecycle,
) => {
  const tokens = [...new Set([...from, ...to])]
  const [only] = tokens
  return {
    event_type: "combo_lifecycle",
    tx_hash: `0x${tx}`,
    log_index,
    status: "confirmed",
    detected_at: at.getTime(),
    block_number: block,
    action,
    user,
    ...comboPayload(combo),
    condition_ids: combo.legs.map(({ condition }) => condition),
    event_ids: [...new Set(combo.legs.flatMap(({ event }) => event ?? []))],
    module_id: 3,
    module_name: "combinatorial",
    position_ids: tokens,
    source_position_ids: from,
    destination_position_ids: to,
    side: tokens.length === 1 && only !== undefined ? outcomeSide(combo, only) : null,
    amount_e6: e6(amount),
    amount_usdc: usdc(amount),
    payout_e6: e6(payout),
    payout_usdc: usdc(payout),
    removed_leg_position_ids: removedLegs(combo, remaining),
    remaining_combo_condition_id: remaining?.condition ?? null,
    confirmed_transfers: null,
  }
}

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

/** `fills` is undefined without a block, or if the block was replaced. Gas costs are not read. */
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

const legPayload = (leg: Leg) => ({
  position_id: leg.id,
  module_id: leg.module,
  module_name: moduleNames.get(leg.module) ?? null,
  condition_id: leg.condition,
  event_id: leg.event,
  arity: leg.arity,
  condition_index: leg.conditionIndex,
  outcome_index: leg.outcomeIndex,
  leg_outcome_label: leg.info?.outcome ?? null,
  market:
    leg.info === undefined
      ? null
      : {
          title: leg.info.title,
          slug: leg.info.slug,
          image: leg.info.image,
          event_title: leg.info.eventTitle,
          event_slug: leg.info.eventSlug,
          outcomes: leg.info.outcomes,
          token_ids: leg.info.tokens.map(tokenOfHex),
        },
})

/** Fields that describe a combo. */
const comboPayload = ({ condition, yes, no, legs }: Combo) => ({
  combo_condition_id: condition,
  yes_position_id: yes,
  no_position_id: no,
  leg_position_ids: legs.map(({ id }) => id),
  legs_total: legs.length,
  legs: legs.map(legPayload),
})

/** YES wins if all legs win. */
const outcomeSide = ({ yes }: Combo, token: string): "YES" | "NO" => (token === yes ? "YES" : "NO")
