import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { priceSources } from "#src/markets/tokenPrice.ts"
import { text, textOrNull } from "../openapi/described.ts"
import { envelopeFields, objectFields } from "../v3/answer.ts"

const flag = (description: string) => Schema.NullOr(Schema.Boolean).annotate({ description })
const texts = (description: string) => Schema.Array(Schema.String).annotate({ description })

const time = "ISO 8601"

/** What is known of a token's price. */
const price = {
  price: Schema.NullOr(Schema.Finite).annotate({ description: "Dollars per share; null if no price is known" }),
  resolved: Schema.Boolean.annotate({ description: "Whether the condition is resolved on the chain" }),
  source: Schema.NullOr(Schema.Literals(priceSources)).annotate({
    description:
      "settlement: the payout; clob_mid: between the best bid and ask of an order book that is followed; last_fill: the newest trade on the chain; catalogue: as the venue lists it",
  }),
  updated_at: textOrNull(`Since when the price is known: of the resolution, the book or the trade; ${time}`),
}

const names = {
  question: textOrNull("Question of the market; null while it is not listed, as are the other names"),
  slug: textOrNull("Slug of the market"),
}
const category = textOrNull("Category of the event")
const tag_slugs = texts("Tags of the event")
const winning_outcome_index = Schema.NullOr(Schema.Int).annotate({
  description: "Null until the condition is resolved, and if several outcomes pay",
})

export const TokenInfo = Schema.Struct({
  token_id: Schema.String,
  ...price,
  condition_id: textOrNull("Null while the condition of the token is not known"),
  outcome: textOrNull("Name of the outcome"),
  outcome_index: Schema.NullOr(Schema.Int),
  ...names,
  category,
  tag_slugs,
}).annotate({ identifier: "TokenInfo" })

export const TokenPrice = Schema.Struct({ token_id: Schema.String, ...price, ...objectFields }).annotate({
  identifier: "TokenPrice",
})

const listing = {
  ...names,
  outcomes: texts("Names of the outcomes; empty while the market is not listed"),
  category,
  active: flag("As the venue says"),
  closed: flag("As the venue says"),
  neg_risk: flag("As the venue says"),
  end_date: textOrNull(time),
  event_slug: textOrNull("Slug of the event"),
  event_title: textOrNull("Title of the event"),
}
const volume = textOrNull("As the venue counts it, decimal dollars; null while the market is not listed")
const liquidity = textOrNull("Of the order book as the venue counts it, decimal dollars")
const resolved_at = textOrNull(`Time of the resolution on the chain; ${time}`)

export const Market = Schema.Struct({
  condition_id: textOrNull("Null if the venue lists the market without a condition"),
  ...listing,
  volume_all_time: volume,
  liquidity,
  tag_slugs,
  token_ids: texts("In the order of the outcomes"),
  token_outcomes: texts("The outcome of each token"),
  winning_outcome_index,
  resolved_at,
}).annotate({ identifier: "Market" })

export const Condition = Schema.Struct({
  id: Schema.String,
  position_ids: texts("Ids of the tokens, in the order of the outcomes"),
  payout_numerators: Schema.Array(Schema.Finite).annotate({
    description: "What each outcome pays, in parts of `payout_denominator`; empty until the condition is resolved",
  }),
  payout_denominator: textOrNull("Null until the condition is resolved"),
  ...listing,
  liquidity,
  volume,
  tags: tag_slugs,
  winning_outcome_index,
  resolved_at,
  ...objectFields,
}).annotate({ identifier: "Condition" })

export const Holder = Schema.Struct({
  token_id: Schema.String,
  outcome: textOrNull("Name of the outcome; null while the market is not listed"),
  outcome_index: Schema.NullOr(Schema.Int),
  rank: Schema.Int.annotate({ description: "By shares among the holders of this outcome, from 1" }),
  wallet: Schema.String,
  shares: Schema.Finite,
  value: Schema.NullOr(Schema.Finite).annotate({ description: "The shares at `price`, in dollars" }),
  price: Schema.NullOr(Schema.Finite).annotate({
    description: "The payout, else the newest trade on the chain, else the catalogue's price, as for positions",
  }),
}).annotate({ identifier: "Holder" })

export const OpenInterest = Schema.Struct({
  source: Schema.Literal("onchain"),
  open_interest_usdc: Schema.Finite.annotate({
    description: "What the shares of all unresolved conditions pay at most, in dollars",
  }),
  ...objectFields,
}).annotate({ identifier: "TotalOpenInterest" })

export const TagCount = Schema.Struct({ tag: text("Slug of the tag"), market_count: Schema.Int }).annotate({
  identifier: "TagCount",
})

const list = { ...envelopeFields, coverage: CoverageField }

export const TokenList = Schema.Struct({ data: Schema.Array(TokenInfo), ...list }).annotate({ identifier: "TokenList" })
export const MarketPage = Schema.Struct({ data: Schema.Array(Market), ...list }).annotate({ identifier: "MarketPage" })
export const TagMarketPage = Schema.Struct({ tag: Schema.String, data: Schema.Array(Market), ...list }).annotate({
  identifier: "TagMarketPage",
})
export const TagPage = Schema.Struct({ tags: Schema.Array(TagCount), ...list }).annotate({ identifier: "TagPage" })
export const HolderList = Schema.Struct({ condition_id: Schema.String, data: Schema.Array(Holder), ...list }).annotate({
  identifier: "HolderList",
})

/** The catalogue has no such tag. */
export class NoTag extends Schema.Error<NoTag>("NoTag")(
  { error: Schema.String, hint: Schema.String, tag: Schema.String },
  { httpApiStatus: 404, description: "The catalogue has no such tag" },
) {}
