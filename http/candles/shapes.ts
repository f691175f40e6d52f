import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { integer, integerOrNull, number, textOrNull } from "../openapi/described.ts"
import { AsOfField } from "../v3/answer.ts"

const prices = {
  open: number("Price of the first trade"),
  high: Schema.Finite,
  low: Schema.Finite,
  close: number("Price of the last trade"),
}

const volumes = {
  volume: number("Dollars"),
  volume_shares: Schema.Finite,
  volume_buy: number("Dollars of trades in which the taker bought"),
  volume_sell: number("Dollars of trades in which the taker sold"),
  trades: integer("Trades: every share that changed hands, was minted or merged in a match counts once"),
  vwap: number("Dollars per share"),
}

export const Candle = Schema.Struct({
  time: integer("Start, Unix seconds"),
  time_unix: integer("The same as `time`"),
  time_ms: integer("Start in milliseconds"),
  ...prices,
  ...volumes,
  volume_usd: number("The same as `volume`"),
  first_trade_ts: integerOrNull("Unix seconds; null without trades, as are the next ones"),
  last_trade_ts: Schema.NullOr(Schema.Int),
  first_block: Schema.NullOr(Schema.Int),
  last_block: Schema.NullOr(Schema.Int),
  first_log_index: Schema.NullOr(Schema.Int),
  last_log_index: Schema.NullOr(Schema.Int),
  gap_filled: Schema.Boolean.annotate({ description: "Whether there was no trade, and the close before is repeated" }),
}).annotate({ identifier: "TokenCandle" })
export const candleColumns = Object.keys(Candle.fields)

const OnchainCandle = Schema.Struct({ time: integer("Start, Unix seconds"), ...prices, ...volumes }).annotate({
  identifier: "OnchainCandle",
})

const turns = {
  older_end_ts: integerOrNull("`anchor_ts` for the candles before, with direction `before`; null if there are none"),
  newer_start_ts: integerOrNull("`anchor_ts` for the candles after, with direction `after`; null if there are none"),
}
const more = { ...turns, has_older: Schema.Boolean, has_newer: Schema.Boolean }

const names = {
  question: textOrNull("Question of the market; null while it is not listed, as are the other names"),
  slug: textOrNull("Slug of the market"),
  outcome: textOrNull("Name of the outcome"),
  image: textOrNull("URL of a picture"),
  condition_id: Schema.NullOr(Schema.String),
  outcome_index: Schema.NullOr(Schema.Int),
}

const Window = Schema.Struct({
  start_ts: integer("First second"),
  end_ts: integer("First second that is no longer included"),
  first_bucket: integerOrNull("Start of the first candle"),
  last_bucket: integerOrNull("Start of the last candle"),
  duration_seconds: Schema.Int,
  bucket_count: integer("Candles that fit"),
  resolution_seconds: Schema.Int,
  ...more,
}).annotate({ identifier: "CandleWindow" })

const Pagination = Schema.Struct({
  limit: Schema.Int,
  max_limit: Schema.Int,
  direction: Schema.Literals(["before", "after"]),
  order: Schema.Literals(["asc", "desc"]),
  has_more: Schema.Boolean,
  ...more,
}).annotate({ identifier: "CandlePagination" })

const seriesFields = {
  token_id: Schema.String,
  resolution: Schema.String,
  count: Schema.Int,
  candles: Schema.Array(Candle),
  ...names,
}
const rest = {
  window: Window,
  pagination: Pagination,
  gap_fill: Schema.Boolean,
  as_of: AsOfField,
  coverage: CoverageField,
  elapsed_ms: Schema.Int,
}

export const TokenCandleList = Schema.Struct({ ...seriesFields, ...rest }).annotate({ identifier: "TokenCandleList" })

export const MarketCandleList = Schema.Struct({
  condition_id: Schema.NullOr(Schema.String),
  resolution: Schema.String,
  series_count: Schema.Int,
  series: Schema.Array(Schema.Struct(seriesFields)),
  ...rest,
}).annotate({ identifier: "MarketCandleList" })

const { slug: _, outcome_index: __, ...onchainNames } = names
export const OnchainCandleList = Schema.Struct({
  token_id: Schema.String,
  resolution: Schema.String,
  window: Schema.Struct({
    start_ts: Schema.Int,
    end_ts: Schema.Int,
    trade_count: integer("Trades in the window"),
    duration_seconds: Schema.Int,
  }),
  count: Schema.Int,
  candles: Schema.Array(OnchainCandle),
  pagination: Schema.Struct(turns),
  ...onchainNames,
  as_of: AsOfField,
  coverage: CoverageField,
}).annotate({ identifier: "OnchainCandleList" })
