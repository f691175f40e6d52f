import { Schema } from "effect"
import { number, numberOrNull } from "../../openapi/described.ts"
import { objectFields } from "../../v3/answer.ts"

const time = (description: string) => Schema.NullOr(Schema.String).annotate({ description: `${description}; ISO 8601` })

export const quoteSides = ["buy", "sell"] as const
export const depthStates = ["live", "stale", "no_book", "resolved"] as const

const Level = Schema.Struct({ price: number("Dollars per share"), size: number("Shares") }).annotate({
  identifier: "DepthLevel",
})

export const SizeQuote = Schema.Struct({
  side: Schema.Literals(quoteSides).annotate({ description: "buy takes asks, sell takes bids" }),
  size_usd: number("As asked for: dollars to pay, or to receive"),
  complete: Schema.Boolean.annotate({ description: "Whether the book has all of it" }),
  filled_usd: number("What the book has of it, to 10⁻⁶ dollars"),
  unfilled_usd: number("What the book lacks"),
  shares: number("Shares bought or sold"),
  average_price: numberOrNull("Dollars per share, to 10⁻⁸; null without shares"),
  best_price: numberOrNull("Price of the first share"),
  worst_price: numberOrNull("Price of the last share"),
  levels_used: Schema.Int,
  slippage_best: numberOrNull("Dollars per share that the average is worse than the best price"),
  slippage_best_pct: numberOrNull("The same in percent of the best price"),
  slippage_mid: numberOrNull("Dollars per share that the average is worse than the middle; null without both sides"),
  slippage_mid_pct: numberOrNull("The same in percent of the middle"),
}).annotate({ identifier: "SizeQuote" })

const side = {
  best: numberOrNull("Null if nobody offers"),
  levels: Schema.Int.annotate({ description: "Levels of the whole side, of which `levels` are listed" }),
  usd: number("Dollars of the whole side: price times size"),
  shares: number("Shares of the whole side"),
}

export const MarketDepth = Schema.Struct({
  token_id: Schema.String,
  condition_id: Schema.NullOr(Schema.String),
  status: Schema.Literals(depthStates).annotate({
    description:
      "live: the venue's book now; stale: the last known one, because the venue does not answer, see `age_ms`; no_book: the venue has none; resolved: trading is over",
  }),
  source: Schema.NullOr(Schema.Literals(["shard", "venue"])).annotate({
    description: "shard: followed change by change; venue: read for this request; null without a book",
  }),
  checked_at: time("When the book was last known to be the venue's"),
  age_ms: Schema.NullOr(Schema.Int).annotate({ description: "Milliseconds since then" }),
  updated_at: time("When an order last changed it, by the venue's clock"),
  tick_size: numberOrNull("Smallest step of a price"),
  mid: numberOrNull("Null unless both sides have orders"),
  spread: numberOrNull("Null unless both sides have orders"),
  bid: Schema.Struct(side),
  ask: Schema.Struct(side),
  bids: Schema.Array(Level).annotate({ description: "The best first" }),
  asks: Schema.Array(Level).annotate({ description: "The best first" }),
  quotes: Schema.Array(SizeQuote).annotate({ description: "Of `size_usd`; empty without it or without a book" }),
  ...objectFields,
}).annotate({ identifier: "MarketDepth" })
