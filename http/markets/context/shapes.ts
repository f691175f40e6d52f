import { Schema } from "effect"
import { contextFields } from "../../context/shapes.ts"
import { Market, TokenPrice } from "../shapes.ts"

const { as_of: _, coverage: __, elapsed_ms: ___, ...price } = TokenPrice.fields

const State = Schema.Struct({
  ...Market.fields,
  prices: Schema.Array(
    Schema.Struct({ ...price, outcome: Schema.NullOr(Schema.String), outcome_index: Schema.NullOr(Schema.Int) }),
  ).annotate({ description: "As GET /v3/markets/{token_id}/price, in the order of the outcomes" }),
  total_tokens: Schema.Int,
  truncated: Schema.Boolean.annotate({
    description: "Whether some tokens have no prices here, because of `price_limit_tokens`",
  }),
}).annotate({ identifier: "MarketState" })

export const MarketContext = Schema.Struct({ ...contextFields, state: Schema.optionalKey(State) }).annotate({
  identifier: "MarketContext",
})
