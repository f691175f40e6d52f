import { Effect } from "effect"
import type { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import type { ComboLeg, ListedPosition, PositionPlace, PositionSort, TooBroad } from "#src/positions/list/model.ts"
import type { ShownPosition } from "#src/positions/ShownPosition.ts"
import { amountText } from "#src/trades/amountTexts.ts"
import { conflictingFilters } from "../../input/conflictingFilters.ts"
import { BadInput } from "../../server/errors.ts"
import { notFound, shownOnchain } from "../translate.ts"
import type { ComboPosition, Holder, Position } from "./shapes.ts"

type Failure = Parameters<typeof notFound>[0] | ConflictingFilters | TooBroad

export const refusal = (failure: Failure) => {
  if (failure._tag === "TooBroad") {
    return Effect.fail(
      new BadInput({
        error: `Parameter "sort": the positions of all wallets can be sorted by recent only, not by ${failure.sort}.`,
        param: "sort",
        hint: "Add token_id, condition_id or market_slug, or ask for one wallet: GET /v3/wallets/{address}/positions.",
      }),
    )
  }
  return failure._tag === "ConflictingFilters" ? Effect.fail(conflictingFilters(failure.parameters)) : notFound(failure)
}

/** `pnl` is another name of `realized_pnl`. */
export const sortNamed = (sort: PositionSort | "pnl"): PositionSort => (sort === "pnl" ? "realized_pnl" : sort)

/** The place that a cursor names. */
export const placeIn = (position: ReadonlyArray<bigint> | undefined): PositionPlace | undefined => {
  const [sort, token, wallet] = position ?? []
  return sort === undefined || token === undefined || wallet === undefined
    ? undefined
    : { sort, token: Number(token), wallet: Number(wallet) }
}

const decimal = (value: bigint): string => (value < 0n ? `-${amountText(-value)}` : amountText(value))
const decimalIfKnown = ({ isPartial }: ShownPosition, value: bigint) => (isPartial ? null : decimal(value))
const textOrNull = (seconds: number | null) => (seconds === null ? null : String(seconds))
const totalOf = ({ realized, unrealized }: ShownPosition) => realized + unrealized

export const shownPosition = (position: ListedPosition): typeof Position.Type => {
  const common = shownOnchain(position)
  return {
    token_id: common.token_id,
    size: common.size,
    avg_price: common.avg_price,
    realized_pnl: common.realized_pnl,
    unrealized_pnl: common.unrealized_pnl,
    total_pnl: position.isPartial ? null : exactAmount(totalOf(position)),
    current_price: common.current_price,
    current_value: exactAmount(position.value),
    total_bought: common.total_bought,
    initial_value: common.initial_value,
    redeemable_payout: common.redeemable ? exactAmount(position.value) : 0,
    basis: common.basis,
    resolved: position.resolvedAt !== null,
    price_source: position.priceSource,
    status: common.status,
    market: common.market,
    slug: common.market_slug,
    outcome: common.outcome,
    outcome_index: common.outcome_index,
    opposite_asset: common.opposite_asset,
    image: common.image,
    condition_id: common.condition_id,
    event_slug: common.event_slug,
    neg_risk: position.market.isNegRisk,
    market_status: common.market_status,
    tag_slugs: position.market.tags,
    last_activity: String(common.last_activity),
    last_trade_at: textOrNull(common.last_trade_at),
    resolved_at: textOrNull(common.resolved_at),
    winning_outcome_index: common.winning_outcome_index,
    won: common.won,
  }
}

const shownLeg = ({ position, outcome, status, slug, eventTitle }: ComboLeg, leg_index: number) => ({
  leg_index,
  leg_position_id: position,
  leg_outcome_label: outcome,
  leg_status: status,
  market: slug === null ? null : { slug, event_title: eventTitle },
})

/** A row of a list with `include_combos`. */
export const shownWithType = (position: ListedPosition): typeof ComboPosition.Type => {
  const row = shownPosition(position)
  const { legs } = position
  if (legs === undefined) return { ...row, position_type: "market" }
  return {
    ...row,
    position_type: "combo",
    combo_condition_id: position.condition,
    combo_position_id: position.token,
    shares_balance: decimal(position.shares),
    entry_avg_price_usdc: decimalIfKnown(position, BigInt(position.averagePrice)),
    entry_cost_usdc: position.status === "open" ? decimalIfKnown(position, position.cost) : null,
    realized_pnl_usdc: decimalIfKnown(position, position.realized),
    total_pnl_usdc: decimalIfKnown(position, totalOf(position)),
    legs_total: legs.length,
    legs: legs.map(shownLeg),
  }
}

export const shownHolder = (position: ListedPosition): typeof Holder.Type => ({
  user: position.wallet,
  token_id: position.token,
  outcome_index: position.outcomeIndex,
  amount: decimal(position.shares),
  avg_price: decimalIfKnown(position, BigInt(position.averagePrice)),
  total_bought: decimal(position.bought),
  realized_pnl: decimalIfKnown(position, position.realized),
  unrealized_pnl: decimalIfKnown(position, position.unrealized),
  total_pnl: decimalIfKnown(position, totalOf(position)),
  status: position.status,
  basis: position.isPartial ? "unknown" : "known",
})
