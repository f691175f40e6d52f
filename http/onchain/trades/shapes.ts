import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { number, text, textOrNull } from "../../openapi/described.ts"
import { AsOfField } from "../../v3/answer.ts"

const seconds = Schema.Int.annotate({ description: "Unix seconds" })

const names = {
  market: textOrNull("Question of the market; null while it is not listed, as are the other names"),
  outcome: textOrNull("Name of the outcome"),
  image: textOrNull("URL of a picture"),
}

const ofOrder = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)

/** A trade of `GET /v2/onchain/trades`. */
export const Trade = Schema.Struct({
  timestamp: seconds,
  tx_hash: Schema.String,
  order_hash: Schema.String,
  maker: text("Owner of the order"),
  taker: text("The counterparty; the exchange if the order started the match"),
  token_id: Schema.String,
  price: number("Dollars per share, to six decimals"),
  amount_usd: Schema.Finite,
  fee_usd: number("Fee of the order in dollars, less its refund"),
  shares: Schema.Finite,
  side: Schema.Literals(["BUY", "SELL"]).annotate({ description: "What the maker did" }),
  direction: Schema.Literals(["BUY", "SELL"]).annotate({ description: "The same as `side`" }),
  ...names,
  market_slug: textOrNull("Slug of the market"),
  condition_id: Schema.NullOr(Schema.String),
  fill_count: ofOrder(Schema.Int.annotate({ description: "Fills of the order that match; with `group_by`" })),
  total_amount_usd: ofOrder(Schema.Finite),
  total_shares: ofOrder(Schema.Finite),
  avg_price: ofOrder(Schema.Finite),
  total_fee_usd: ofOrder(Schema.Finite),
  first_fill_at: ofOrder(seconds),
  last_fill_at: ofOrder(seconds),
  tx_hashes: ofOrder(Schema.Array(Schema.String)),
}).annotate({ identifier: "OnchainTrade" })

/** A fill as the exchange logs it: what the maker gives and receives. */
const Fill = Schema.Struct({
  tx_hash: Schema.String,
  order_hash: Schema.String,
  timestamp: seconds,
  maker: text("Owner of the order"),
  taker: text("The counterparty; the exchange if the order started the match"),
  maker_asset_id: text("What the maker gives: a token id, or 0 for dollars"),
  taker_asset_id: text("What the maker receives: a token id, or 0 for dollars"),
  maker_amount: Schema.Finite,
  taker_amount: Schema.Finite,
  fee: number("Fee of the order in dollars, less its refund"),
  side: Schema.Literals(["maker", "taker"]).annotate({ description: "`taker` if the order started the match" }),
  direction: Schema.Literals(["BUY", "SELL"]).annotate({ description: "What the maker did" }),
}).annotate({ identifier: "OnchainFill" })

export const WalletFill = Schema.Struct({ ...Fill.fields, ...names, slug: textOrNull("Slug of the market") }).annotate({
  identifier: "WalletFill",
})

const page = {
  count: Schema.Int,
  as_of: AsOfField,
  coverage: CoverageField,
}
const source = Schema.Literal("onchain")
const pagination = (key: "cursor" | "pagination_key") =>
  Schema.Struct({
    limit: Schema.Int,
    has_more: Schema.Boolean,
    [key]: Schema.NullOr(Schema.String).annotate({
      description: `\`${key}\` of the next page, valid for 24 hours; null at the end`,
    }),
  })

export const TradePage = Schema.Struct({
  ...page,
  pagination: pagination("pagination_key"),
  trades: Schema.Array(Trade),
}).annotate({ identifier: "OnchainTradePage" })

export const WalletFillPage = Schema.Struct({
  wallet: Schema.String,
  source,
  ...page,
  pagination: pagination("cursor"),
  trades: Schema.Array(WalletFill),
}).annotate({ identifier: "WalletFillPage" })

export const TokenFillPage = Schema.Struct({
  token_id: Schema.String,
  source,
  ...page,
  ...names,
  slug: textOrNull("Slug of the market"),
  condition_id: Schema.NullOr(Schema.String),
  pagination: pagination("cursor"),
  trades: Schema.Array(Fill),
}).annotate({ identifier: "TokenFillPage" })
