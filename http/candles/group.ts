import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { resolutionNames } from "#src/candles/model.ts"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { Elsewhere } from "../access/Elsewhere.ts"
import { paidOnly } from "../access/Rule.ts"
import { hashText } from "../input/hash.ts"
import { clampedLimit } from "../input/page.ts"
import { visibleText } from "../input/visibleText.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { secondParameter } from "../v3/parameters.ts"
import { MarketCandleList, OnchainCandleList, TokenCandleList } from "./shapes.ts"

export const candleLimit = { default: 120, max: 1_000 }
/** Of each outcome: an answer has 1,000 candles at most. */
export const marketCandleLimit = { default: 120, max: 500 }
export const onchainCandleLimit = { default: 500, max: 1_000 }

const error = [BadInput, NotFound, Unavailable] as const

const flag = (description: string) => Schema.optionalKey(Schema.Literals(["true", "false"]).annotate({ description }))

const common = {
  resolution: Schema.optionalKey(
    Schema.Literals(resolutionNames).annotate({
      description: `${resolutionNames.join(", ")}; 1h by default. Days are those of UTC, weeks begin on Monday`,
    }),
  ),
  direction: Schema.optionalKey(
    Schema.Literals(["before", "after"]).annotate({
      description: "before (the candles up to `anchor_ts`) or after (those from it on); before by default",
    }),
  ),
  anchor_ts: secondParameter("anchor_ts", "where the candles end, or begin with `direction=after`; now by default"),
  gap_fill: flag("true: a candle without trades repeats the close before it; false by default"),
}

const query = {
  ...common,
  limit: clampedLimit("candles", candleLimit),
  start: secondParameter("start", "first second, with `end` and instead of an anchor"),
  end: secondParameter("end", "first second that is no longer included"),
  order: Schema.optionalKey(
    Schema.Literals(["asc", "desc"]).annotate({ description: "asc (oldest first) or desc; asc by default" }),
  ),
}

const marketQuery = {
  ...query,
  limit: clampedLimit("candles of each outcome", marketCandleLimit),
  token_id: Schema.optionalKey(TokenId.annotate({ description: "only this outcome; all of them by default" })),
}

const token = TokenId.annotate({ description: "a token id in decimal digits" })

const ofToken = HttpApiEndpoint.get("ofToken", "/v3/markets/:token_id/candles", {
  params: { token_id: token },
  query,
  success: TokenCandleList,
  error,
})
  .annotateMerge(
    describe(
      "Candles of a token",
      "/v3/markets/$TOKEN/candles?resolution=1d",
      "From all trades of the token, exact to the newest block. An answer covers `limit` candles of time; those without trades are left out unless `gap_fill=true`. `pagination.older_end_ts` and `newer_start_ts` lead to the next candles with trades, however far away.",
    ),
  )
  .annotateMerge(paidOnly())

const ofMarket = HttpApiEndpoint.get("ofMarket", "/v3/markets/slug/:slug/candles", {
  params: { slug: visibleText("a slug").annotate({ description: "slug of a market" }) },
  query: marketQuery,
  success: MarketCandleList,
  error,
})
  .annotateMerge(describe("Candles of a market", "/v3/markets/slug/$SLUG/candles", "One series for each outcome."))
  .annotateMerge(paidOnly())

const ofCondition = HttpApiEndpoint.get("ofCondition", "/v3/markets/condition/:condition_id/candles", {
  params: { condition_id: ConditionId.annotate({ description: "a condition id" }) },
  query: marketQuery,
  success: MarketCandleList,
  error,
})
  .annotateMerge(
    describe("Candles of a condition", "/v3/markets/condition/$CONDITION/candles", "One series for each outcome."),
  )
  .annotateMerge(paidOnly())

const onchainQuery = {
  ...common,
  limit: clampedLimit("candles", onchainCandleLimit),
  anchor_block: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })).annotate({
      description: "a block instead of `anchor_ts`",
    }),
  ),
  anchor_tx: Schema.optionalKey(
    hashText("anchor_tx").annotate({ description: "the block of this transaction instead of `anchor_ts`" }),
  ),
}

const onchain = HttpApiEndpoint.get("onchain", "/v2/onchain/candles/:token_id", {
  params: { token_id: token },
  query: onchainQuery,
  success: OnchainCandleList,
  error,
}).annotateMerge(
  describe(
    "Candles of a token, V2",
    "/v2/onchain/candles/$TOKEN?resolution=1d",
    "The same candles as GET /v3/markets/{token_id}/candles.",
  ),
)

const onchainByName = HttpApiEndpoint.get("onchainByName", "/v2/onchain/candles", {
  query: {
    ...onchainQuery,
    token_id: Schema.optionalKey(token),
    condition_id: Schema.optionalKey(ConditionId.annotate({ description: "instead of `token_id`: its first outcome" })),
    market_slug: Schema.optionalKey(
      visibleText("a slug").annotate({ description: "instead of `token_id`: the first outcome of this market" }),
    ),
  },
  success: OnchainCandleList,
  error,
}).annotateMerge(
  describe(
    "Candles of a token, condition or market, V2",
    "/v2/onchain/candles?market_slug=$SLUG",
    "As GET /v2/onchain/candles/{token_id}. Exactly one of `token_id`, `condition_id` and `market_slug` is needed; the last two mean the first outcome.",
  ),
)

export class CandlesGroup extends HttpApiGroup.make("tokenCandles")
  .add(ofToken, ofMarket, ofCondition, onchain, onchainByName)
  .annotate(Elsewhere, true)
  .annotateMerge(OpenApi.annotations({ title: "Candles", description: "Prices of outcomes over time." })) {}
