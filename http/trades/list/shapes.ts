import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { Trade as ComboTrade } from "../../combos/shapes.ts"
import { text, textOrNull } from "../../openapi/described.ts"
import { envelopeFields } from "../../v3/answer.ts"

export const Trade = Schema.Struct({
  id: text("Transaction hash, `_` and log index"),
  maker: text("Owner of the order"),
  taker: text("The counterparty; the exchange if the order started the match"),
  maker_asset_id: text("What the maker gives: a token id, or 0 for dollars"),
  taker_asset_id: text("What the maker receives: a token id, or 0 for dollars"),
  maker_amount: Schema.Finite.annotate({ description: "Amount that the maker gives" }),
  taker_amount: Schema.Finite.annotate({ description: "Amount that the maker receives, before a fee in shares" }),
  amount_usd: Schema.Finite,
  fee: Schema.Finite.annotate({ description: "Fee of the order in dollars, less its refund" }),
  price: Schema.Finite.annotate({ description: "Dollars per share, to six decimals" }),
  size: Schema.Finite.annotate({ description: "Shares" }),
  amount: Schema.Finite.annotate({ description: "Shares, as `size`" }),
  timestamp: text("Unix seconds"),
  transaction_hash: Schema.String,
  order_hash: Schema.String,
  builder: text("Code of the builder that routed the order; zeros if none did"),
  side: Schema.Literals([0, 1]).annotate({ description: "0 if the maker buys, 1 if it sells" }),
  direction: Schema.Literals(["BUY", "SELL"]),
  role: Schema.Literals(["maker", "taker"]).annotate({ description: "`taker` if the order started the match" }),
  token_id: Schema.String,
  asset: text("The token id"),
  market: textOrNull("Question of the market; null while it is not listed, as are the other names"),
  slug: textOrNull("Slug of the market"),
  outcome: textOrNull("Name of the outcome"),
  outcome_index: Schema.NullOr(Schema.Int),
  image: textOrNull("URL of a picture"),
  condition_id: Schema.NullOr(Schema.String),
  event_slug: textOrNull("Slug of the event"),
  event_id: Schema.NullOr(Schema.Int),
}).annotate({ identifier: "Trade" })

const ofOrder = (schema: typeof Schema.Int | typeof Schema.Finite, description: string) =>
  Schema.optionalKey(schema.annotate({ description: `${description}; with \`group_by\`` }))

/** What a row has with `group_by=order_hash`, beside the columns of the order's newest fill. */
const totals = {
  fill_count: ofOrder(Schema.Int, "Fills of the order that match"),
  avg_price: ofOrder(Schema.Finite, "`total_usd` per share, to six decimals"),
  total_amount_usd: ofOrder(Schema.Finite, "Dollars of all these fills"),
  total_usd: ofOrder(Schema.Finite, "The same as `total_amount_usd`"),
  total_shares: ofOrder(Schema.Finite, "Shares of all these fills"),
  total_fee: ofOrder(Schema.Finite, "Fees of all these fills, less refunds"),
  total_maker_amount: ofOrder(Schema.Finite, "What the maker gave"),
  total_taker_amount: ofOrder(Schema.Finite, "What the maker received"),
  first_fill_at: ofOrder(Schema.Int, "Unix seconds"),
  last_fill_at: ofOrder(Schema.Int, "Unix seconds"),
  tx_hashes: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "Transactions of these fills; with `group_by`" }),
  ),
}

export const Order = Schema.Struct({ ...Trade.fields, ...totals }).annotate({ identifier: "Order" })

export const tradeColumns = Object.keys(Trade.fields)
export const orderColumns = Object.keys(Order.fields)

const lists = { trades: Schema.Array(Order), ...envelopeFields, coverage: CoverageField }

export const TradeList = Schema.Struct(lists).annotate({ identifier: "TradeList" })
const withCombos = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema.annotate({ description: `${description}; with \`include_combos\`` }))

const ComboOfList = Schema.Struct({ ...ComboTrade.fields, source: Schema.Literal("onchain") }).annotate({
  identifier: "ListedComboTrade",
})

export const WalletTradeList = Schema.Struct({
  address: Schema.String,
  ...lists,
  include_combos: withCombos(Schema.Boolean, "true"),
  included_position_types: withCombos(Schema.Array(Schema.Literals(["market", "combo"])), "What the lists have"),
  combo_trades: withCombos(Schema.Array(ComboOfList), "Trades of combos, which `trades` has too"),
  combo_trade_count: withCombos(Schema.Int, "Rows of `combo_trades`"),
  combo_has_more: withCombos(Schema.Boolean, "Whether there are more: GET /v3/wallets/{address}/combos/trades has all"),
  combo_source: withCombos(Schema.Literal("onchain"), "onchain"),
}).annotate({ identifier: "WalletTradeList" })
export const TokenTradeList = Schema.Struct({ token_id: Schema.String, ...lists }).annotate({
  identifier: "TokenTradeList",
})
export const MarketTradeList = Schema.Struct({ slug: Schema.String, ...lists }).annotate({
  identifier: "MarketTradeList",
})
