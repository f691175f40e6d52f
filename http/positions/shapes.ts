import { Schema } from "effect"

const about = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
const text = (description: string) => about(Schema.String, description)
const amount = (description: string) => about(Schema.Finite, description)
const seconds = (description: string) => about(Schema.Int, `${description}, in Unix seconds`)
const secondsOrNull = (description: string) => about(Schema.NullOr(Schema.Int), `${description}, in Unix seconds`)

const wallet = text("The wallet's address, in lower case")
const conditionId = text("0x and hexadecimal digits; empty while nobody has told which condition the token is of")
const averagePrice = amount(
  "What a share cost that was bought, before fees, on average; 0 where none was bought, and not below 0 where a conversion paid out more than what was given up had cost",
)
const totalBought = amount("Shares that were ever bought, or received for a split or a conversion")
const title = text("The market's question, as are the names below empty while the market is not listed yet")
const realized = amount("USDC gained or lost by sales, merges, refunds and resolution, after fees")

export const ClosedPosition = Schema.Struct({
  proxy_wallet: wallet,
  asset: text("The token's id"),
  condition_id: conditionId,
  avg_price: averagePrice,
  total_bought: totalBought,
  realized_pnl: realized,
  cur_price: amount(
    "What the token pays, 1 or 0 or a part; while the condition is open, the price of its newest trade",
  ),
  title,
  slug: Schema.String,
  icon: text("Address of a picture"),
  event_slug: Schema.String,
  outcome: Schema.String,
  outcome_index: Schema.Int,
  opposite_outcome: Schema.String,
  opposite_asset: text("The other outcome's token id"),
  end_date: text("When the market is due to end, ISO 8601"),
  timestamp: seconds("When it was closed: the last share was given away, or the condition was resolved"),
})

export const ClosedPositions = Schema.Struct({
  wallet,
  count: about(Schema.Int, "Of this page"),
  offset: Schema.Int,
  limit: Schema.Int,
  positions: Schema.Array(ClosedPosition),
})

/** What both lists of open and closed positions tell. */
const common = {
  token_id: Schema.String,
  size: amount("Shares that are left"),
  avg_price: averagePrice,
  realized_pnl: realized,
  unrealized_pnl: amount("What is left at the current price, less what it cost; 0 where the position is not open"),
  current_price: about(
    Schema.NullOr(Schema.Finite),
    "What the token pays once its condition is resolved, else the price of its newest trade, else the venue's; null when there is none",
  ),
  status: about(
    Schema.Literals(["open", "closed", "redeemable", "redeemed"]),
    "open: shares are left and the condition is not resolved. redeemable: shares are left and it is. redeemed: handed in. closed: given away before",
  ),
  market_status: about(
    Schema.Literals(["open", "closed", "resolved"]),
    "closed: no more trading, and not resolved on the chain yet",
  ),
  total_bought: totalBought,
  market: title,
}
const names = {
  outcome: Schema.String,
  condition_id: conditionId,
  image: about(Schema.NullOr(Schema.String), "Address of a picture"),
  event_slug: Schema.NullOr(Schema.String),
}
const times = {
  last_trade_at: secondsOrNull("Of the newest trade; null where it only came by other ways"),
  closed_at: secondsOrNull("When nothing was left to win or lose; null while it is open"),
  resolved_at: secondsOrNull("When the condition was resolved"),
}

export const WalletPosition = Schema.Struct({
  ...common,
  slug: Schema.String,
  ...names,
  ...times,
  tag_slugs: Schema.Array(Schema.String),
})

export const WalletPositions = Schema.Struct({
  wallet,
  source: Schema.Literal("onchain"),
  count: about(Schema.Int, "All that match, as are the numbers below over all of them, not only those in `positions`"),
  open_count: Schema.Int,
  closed_count: about(Schema.Int, "Those that are not open"),
  total_realized_pnl: Schema.Finite,
  total_unrealized_pnl: Schema.Finite,
  total_pnl: Schema.Finite,
  positions_with_pnl: about(Schema.Int, "Those that have gained or lost anything"),
  filtered: about(Schema.Boolean, "Whether a filter was given"),
  applied_filters: about(
    Schema.Struct({
      status: Schema.optionalKey(Schema.String),
      tag_slug: Schema.optionalKey(Schema.String),
      market_slug: Schema.optionalKey(Schema.String),
      condition_id: Schema.optionalKey(Schema.String),
      token_id: Schema.optionalKey(Schema.String),
      min_size: Schema.optionalKey(Schema.Finite),
    }),
    "Those that were given",
  ),
  limit: Schema.Int,
  offset: Schema.Int,
  has_more: about(Schema.Boolean, "Whether there are more than these: go on with a higher `offset`"),
  positions: Schema.Array(WalletPosition),
})

export const OnchainPosition = Schema.Struct({
  wallet,
  ...common,
  market_slug: Schema.String,
  ...names,
  outcome_index: Schema.NullOr(Schema.Int),
  opposite_asset: about(Schema.NullOr(Schema.String), "The other outcome's token id"),
  won: about(Schema.NullOr(Schema.Boolean), "Whether this outcome won; null before, and where several outcomes pay"),
  winning_outcome_index: Schema.NullOr(Schema.Int),
  initial_value: about(Schema.NullOr(Schema.Finite), "What the shares cost that are left; null where it is not open"),
  redeemable: Schema.Boolean,
  last_activity: seconds("When the position changed last"),
  ...times,
})

export const OnchainPositions = Schema.Struct({
  count: about(Schema.Int, "Of this page"),
  pagination: Schema.Struct({
    limit: Schema.Int,
    has_more: Schema.Boolean,
    pagination_key: about(Schema.NullOr(Schema.String), "Give it to get the next page; null at the end"),
  }),
  positions: Schema.Array(OnchainPosition),
})
