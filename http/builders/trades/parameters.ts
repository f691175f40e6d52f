import { Schema } from "effect"
import { visibleText } from "../../input/visibleText.ts"
import { filters, ofTrade } from "../../trades/list/parameters.ts"
import { pageOf, timeRange } from "../../v3/parameters.ts"

/** Fills whose market may be looked up for its category or tags. */
export const broadest = 10_000n

const { token_id, condition_id, market_slug, event_slug, event_id } = filters
export const named = { token_id, condition_id, market_slug, event_slug, event_id }

export const tradeParameters = {
  ...named,
  category: Schema.optionalKey(
    visibleText("a category").annotate({ description: "only trades of this category's markets, see below" }),
  ),
  tag_slug: Schema.optionalKey(
    visibleText("a tag").annotate({ description: "only trades of this tag's markets, see below" }),
  ),
  ...ofTrade,
  ...timeRange("trades"),
  ...pageOf("trades"),
}
