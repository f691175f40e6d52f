import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { legStatuses } from "#src/positions/list/model.ts"
import { priceSources } from "#src/positions/ShownPosition.ts"
import { about, number, numberOrNull, text, textOrNull } from "../../openapi/described.ts"
import { envelopeFields } from "../../v3/answer.ts"
import { OnchainPosition } from "../shapes.ts"

const secondsText = (description: string) => about(Schema.NullOr(Schema.String), `${description}, in Unix seconds`)

const { fields } = OnchainPosition
const totalPnl = "Realized and unrealized profit or loss"

/** A position as the lists of wallets and of everybody show it. */
export const Position = Schema.Struct({
  token_id: fields.token_id,
  size: fields.size,
  avg_price: fields.avg_price,
  realized_pnl: fields.realized_pnl,
  unrealized_pnl: fields.unrealized_pnl,
  total_pnl: numberOrNull(totalPnl),
  current_price: fields.current_price,
  current_value: number("Value of the remaining shares at the current price; 0 without a price"),
  total_bought: fields.total_bought,
  initial_value: fields.initial_value,
  redeemable_payout: number("What a redemption would pay; 0 if there is nothing to redeem"),
  basis: fields.basis,
  resolved: about(Schema.Boolean, "Whether the condition is resolved"),
  price_source: about(
    Schema.NullOr(Schema.Literals(priceSources)),
    "settlement: the payout. last_fill: the newest trade. v1_condition: the venue's catalogue. Null without a price",
  ),
  status: fields.status,
  market: fields.market,
  slug: about(Schema.NullOr(Schema.String), "Slug of the market"),
  outcome: fields.outcome,
  outcome_index: fields.outcome_index,
  opposite_asset: fields.opposite_asset,
  image: fields.image,
  condition_id: fields.condition_id,
  event_slug: fields.event_slug,
  neg_risk: about(
    Schema.Boolean,
    "Whether exactly one market of its event can resolve YES; false while it is not listed",
  ),
  market_status: fields.market_status,
  tag_slugs: Schema.Array(Schema.String),
  last_activity: text("Last change of the position, in Unix seconds"),
  last_trade_at: secondsText("Newest trade; null if there was none"),
  resolved_at: secondsText("When the condition was resolved; null before"),
  winning_outcome_index: fields.winning_outcome_index,
  won: fields.won,
}).annotate({ identifier: "Position" })

const Leg = Schema.Struct({
  leg_index: Schema.Int,
  leg_position_id: text("Token id of the outcome that the combo needs"),
  leg_outcome_label: Schema.NullOr(Schema.String),
  leg_status: about(Schema.Literals(legStatuses), "open, won, lost, or split if the outcome pays a part"),
  market: Schema.NullOr(
    Schema.Struct({ slug: Schema.NullOr(Schema.String), event_title: Schema.NullOr(Schema.String) }),
  ),
}).annotate({ identifier: "PositionLeg" })

export const positionTypes = ["market", "combo"] as const

const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(about(schema, `${description}; with \`include_combos\``))
const ofCombo = (description: string) => optional(Schema.NullOr(Schema.String), `${description}; of a combo`)

/** What rows have with `include_combos`; rows that are no combos have only the first. */
const comboFields = {
  position_type: optional(Schema.Literals(positionTypes), "market or combo"),
  combo_condition_id: ofCombo("The condition id"),
  combo_position_id: ofCombo("The token id"),
  shares_balance: ofCombo("Remaining shares"),
  entry_avg_price_usdc: ofCombo("Average price per share"),
  entry_cost_usdc: ofCombo("Cost of the remaining shares; null if the position is not open"),
  realized_pnl_usdc: ofCombo("Realized profit or loss"),
  total_pnl_usdc: ofCombo(totalPnl),
  legs_total: optional(Schema.Int, "Number of legs; of a combo"),
  legs: optional(Schema.Array(Leg), "Outcomes that must all win; of a combo"),
}

/** A position as the lists of markets show it. Amounts are exact decimals. */
export const Holder = Schema.Struct({
  user: text("The wallet's address, in lower case"),
  token_id: Schema.String,
  outcome_index: fields.outcome_index,
  amount: text("Remaining shares"),
  avg_price: textOrNull("What was paid per share received; null if it is unknown"),
  total_bought: text("Shares ever received by purchases, splits and conversions"),
  realized_pnl: textOrNull("Realized profit or loss; null if it is unknown"),
  unrealized_pnl: textOrNull("Value of the remaining shares less their cost; null if it is unknown"),
  total_pnl: textOrNull(totalPnl),
  status: fields.status,
  basis: fields.basis,
}).annotate({ identifier: "PositionHolder" })

export const ComboPosition = Schema.Struct({ ...Position.fields, ...comboFields }).annotate({
  identifier: "ComboPosition",
})
const GlobalPosition = Schema.Struct({ wallet: fields.wallet, ...ComboPosition.fields }).annotate({
  identifier: "GlobalPosition",
})

export const positionColumns = Object.keys(Position.fields)
export const comboColumns = Object.keys(ComboPosition.fields)
export const holderColumns = Object.keys(Holder.fields)

const envelope = { ...envelopeFields, coverage: CoverageField }
const combosIncluded = {
  include_combos: optional(Schema.Boolean, "true"),
  included_position_types: optional(Schema.Array(Schema.Literals(positionTypes)), "What the list has"),
  combo_position_count: optional(Schema.Int, "Combos on this page"),
}

export const WalletPositionList = Schema.Struct({
  address: Schema.String,
  positions: Schema.Array(ComboPosition),
  ...combosIncluded,
  ...envelope,
}).annotate({ identifier: "WalletPositionList" })
export const GlobalPositionList = Schema.Struct({
  positions: Schema.Array(GlobalPosition),
  ...combosIncluded,
  ...envelope,
}).annotate({ identifier: "GlobalPositionList" })

const holders = { data: Schema.Array(Holder), ...envelope }
export const TokenHolders = Schema.Struct({ token_id: Schema.String, ...holders }).annotate({
  identifier: "TokenHolders",
})
export const ConditionHolders = Schema.Struct({ condition_id: Schema.String, ...holders }).annotate({
  identifier: "ConditionHolders",
})
export const MarketHolders = Schema.Struct({ slug: Schema.String, ...holders }).annotate({
  identifier: "MarketHolders",
})
