import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { about, number, numberOrNull, text } from "../openapi/described.ts"

const seconds = (description: string) => about(Schema.Int, `${description}, in Unix seconds`)
const secondsOrNull = (description: string) => about(Schema.NullOr(Schema.Int), `${description}, in Unix seconds`)

const wallet = text("The wallet's address, in lower case")
const conditionId = text("0x and hexadecimal digits; empty while the condition of the token is unknown")
const averagePrice = numberOrNull(
  "What was paid per share received, without fees in collateral; 0 if none was bought, and never below 0, even if a conversion paid more than the converted shares had cost",
)
const totalBought = number(
  "Shares ever received by purchases (after fees in shares, with their refunds), splits and conversions",
)
const basis = about(
  Schema.Literals(["known", "unknown"]),
  "unknown: shares of the position were acquired before the part of the history that the answer covers. Their cost is not known, so that the average price, the profits and the initial value are null and left out of totals and leaderboards; the size is exact",
)
const name = Schema.NullOr(Schema.String)
const title = about(
  name,
  "The market's question, or the legs of a combo; this and the names below are null while there is nothing to show",
)
const realized = numberOrNull("USDC gained or lost by sales, merges, refunds and resolution, after fees")

export const ClosedPosition = Schema.Struct({
  proxy_wallet: wallet,
  asset: text("The token's id"),
  condition_id: conditionId,
  basis,
  avg_price: averagePrice,
  total_bought: totalBought,
  realized_pnl: realized,
  cur_price: number("Payout of the token, from 0 to 1; while the condition is open, the price of its newest trade"),
  title,
  slug: name,
  icon: about(name, "URL of an image"),
  event_slug: name,
  outcome: name,
  outcome_index: Schema.Int,
  opposite_outcome: name,
  opposite_asset: about(name, "Token id of the opposite outcome"),
  end_date: about(name, "Scheduled end of the market, ISO 8601"),
  timestamp: seconds("When the position was closed: its last share was sold or the condition was resolved"),
}).annotate({ identifier: "ClosedPosition" })

export const ClosedPositions = Schema.Struct({
  wallet,
  count: about(Schema.Int, "Positions on this page"),
  offset: Schema.Int,
  limit: Schema.Int,
  coverage: CoverageField,
  positions: Schema.Array(ClosedPosition),
}).annotate({ identifier: "ClosedPositions" })

/** Fields of both lists of open and closed positions. */
const common = {
  token_id: Schema.String,
  size: number("Remaining shares"),
  basis,
  avg_price: averagePrice,
  realized_pnl: realized,
  unrealized_pnl: numberOrNull(
    "Value of the remaining shares at the current price less their cost; 0 if the position is not open",
  ),
  current_price: about(
    Schema.NullOr(Schema.Finite),
    "Payout of the token if its condition is resolved, else the price of its newest trade, else the venue's price; null if there is none",
  ),
  status: about(
    Schema.Literals(["open", "closed", "redeemable", "redeemed"]),
    "open: shares remain and the condition is not resolved. redeemable: shares remain, and the resolution pays for them. redeemed: the shares were redeemed. closed: the shares were sold before, or the resolution pays nothing for them",
  ),
  market_status: about(
    Schema.Literals(["open", "closed", "resolved"]),
    "closed: trading has ended, but the market is not resolved on the chain yet",
  ),
  total_bought: totalBought,
  market: title,
}
const names = {
  outcome: name,
  condition_id: conditionId,
  image: about(Schema.NullOr(Schema.String), "URL of an image"),
  event_slug: Schema.NullOr(Schema.String),
}
const times = {
  last_trade_at: secondsOrNull("Time of the newest trade; null if the position has no trades"),
  closed_at: secondsOrNull("When the position could no longer gain or lose; null while it is open"),
  resolved_at: secondsOrNull("When the condition was resolved"),
}

export const WalletPosition = Schema.Struct({
  ...common,
  slug: name,
  ...names,
  ...times,
  tag_slugs: Schema.Array(Schema.String),
}).annotate({ identifier: "WalletOnchainPosition" })

export const WalletPositions = Schema.Struct({
  wallet,
  source: Schema.Literal("onchain"),
  coverage: CoverageField,
  count: about(
    Schema.Int,
    "All matching positions; the totals below also cover all of them, not only those in `positions`",
  ),
  open_count: Schema.Int,
  closed_count: about(Schema.Int, "Positions that are not open"),
  total_realized_pnl: Schema.Finite,
  total_unrealized_pnl: Schema.Finite,
  total_pnl: Schema.Finite,
  positions_with_pnl: about(Schema.Int, "Positions with a gain or a loss"),
  rewards_received: number("USDC that the venue paid the wallet for liquidity; part of no P&L, and of no filter"),
  rebates_received: number(
    "USDC of fees that the venue paid back to the wallet as a maker; part of no P&L, and of no filter",
  ),
  filtered: about(Schema.Boolean, "Whether the request had a filter"),
  applied_filters: about(
    Schema.Struct({
      status: Schema.optionalKey(Schema.String),
      tag_slug: Schema.optionalKey(Schema.String),
      market_slug: Schema.optionalKey(Schema.String),
      condition_id: Schema.optionalKey(Schema.String),
      token_id: Schema.optionalKey(Schema.String),
      min_size: Schema.optionalKey(Schema.Finite),
    }),
    "Filters of the request",
  ),
  limit: Schema.Int,
  offset: Schema.Int,
  has_more: about(
    Schema.Boolean,
    "Whether there are more positions: continue with `pagination_key` or a higher `offset`",
  ),
  pagination_key: about(Schema.NullOr(Schema.String), "Use it to get the next page; null on the last page"),
  positions: Schema.Array(WalletPosition),
}).annotate({ identifier: "WalletOnchainPositions" })

export const OnchainPosition = Schema.Struct({
  wallet,
  ...common,
  market_slug: name,
  ...names,
  outcome_index: Schema.NullOr(Schema.Int),
  opposite_asset: about(Schema.NullOr(Schema.String), "Token id of the opposite outcome"),
  won: about(
    Schema.NullOr(Schema.Boolean),
    "Whether this outcome won; null before the resolution, and if several outcomes pay",
  ),
  winning_outcome_index: Schema.NullOr(Schema.Int),
  initial_value: about(Schema.NullOr(Schema.Finite), "Cost of the remaining shares; null if the position is not open"),
  redeemable: about(Schema.Boolean, "Whether there is something to redeem; false for a losing outcome"),
  last_activity: seconds("Last change of the position"),
  ...times,
}).annotate({ identifier: "OnchainPosition" })

export const OnchainPositions = Schema.Struct({
  count: about(Schema.Int, "Positions on this page"),
  coverage: CoverageField,
  pagination: Schema.Struct({
    limit: Schema.Int,
    has_more: Schema.Boolean,
    pagination_key: about(Schema.NullOr(Schema.String), "Use it to get the next page; null on the last page"),
  }),
  positions: Schema.Array(OnchainPosition),
}).annotate({ identifier: "OnchainPositions" })
