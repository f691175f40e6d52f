import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"

const name = Schema.NullOr(Schema.String)
const names = {
  market: name.annotate({ description: "Question of the market; null while it is not listed, as are the others" }),
  slug: name,
  image: name,
}
const timestamp = Schema.Int.annotate({ description: "Unix seconds" })

export const OnchainEvent = Schema.Struct({
  type: Schema.Literals(["split", "merge", "conversion"]),
  id: Schema.String,
  timestamp,
  condition: name.annotate({ description: "Of a split or merge; null for a conversion" }),
  amount: Schema.Finite.annotate({ description: "Dollars that were split or merged; shares that were converted" }),
  ...names,
  neg_risk_market_id: name.annotate({
    description: "Of a conversion, as are the others; null in the second protocol generation",
  }),
  index_set: name.annotate({ description: "The questions whose NO was given up, one bit for each, in decimal digits" }),
  question_count: Schema.NullOr(Schema.Int),
}).annotate({ identifier: "OnchainEvent" })

const envelope = {
  wallet: Schema.String,
  source: Schema.Literal("onchain"),
  count: Schema.Int.annotate({ description: "Rows on this page; sums are of this page as well" }),
  offset: Schema.Int,
  limit: Schema.Int,
  has_more: Schema.Boolean,
  coverage: CoverageField,
}

export const OnchainActivity = Schema.Struct({
  ...envelope,
  splits: Schema.Int,
  merges: Schema.Int,
  conversions: Schema.Int,
  events: Schema.Array(OnchainEvent),
}).annotate({ identifier: "OnchainActivity" })

export const OnchainRedemption = Schema.Struct({
  id: Schema.String,
  timestamp,
  condition: Schema.String,
  index_sets: Schema.Array(Schema.String),
  payout: Schema.Finite.annotate({ description: "Dollars" }),
  ...names,
}).annotate({ identifier: "OnchainRedemption" })

export const OnchainRedemptions = Schema.Struct({
  ...envelope,
  total_payout: Schema.Finite,
  redemptions: Schema.Array(OnchainRedemption),
}).annotate({ identifier: "OnchainRedemptions" })
