import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { paidOnly } from "../access/Rule.ts"
import { clampedLimit } from "../input/page.ts"
import { describe } from "../openapi/describe.ts"
import { NotFound, Unavailable } from "../server/errors.ts"
import { listLimit } from "../v3/parameters.ts"
import { Condition, HolderList, MarketPage, OpenInterest, TokenList, TokenPrice } from "./shapes.ts"

const error = [NotFound, Unavailable] as const
const tokenInPath = { token_id: TokenId.annotate({ description: "a token id in decimal digits" }) }
const conditionInPath = {
  condition_id: ConditionId.annotate({ description: "a condition id: 0x and 62 or 64 hexadecimal digits" }),
}

const token = HttpApiEndpoint.get("token", "/v3/tokens/:token_id", {
  params: tokenInPath,
  success: TokenList,
  error,
}).annotateMerge(describe("A token", "/v3/tokens/$TOKEN", "The outcome and market of a token, and its price."))

const price = HttpApiEndpoint.get("price", "/v3/markets/:token_id/price", {
  params: tokenInPath,
  success: TokenPrice,
  error,
}).annotateMerge(
  describe(
    "Price of a token",
    "/v3/markets/$TOKEN/price",
    "The payout once the condition is resolved. Else the middle of the order book if it is followed at the moment, else the price of the newest trade on the chain, else the one that the venue lists (`v1_condition`). `source` says which, `updated_at` since when it is known.",
  ),
)

const condition = HttpApiEndpoint.get("condition", "/v3/conditions/:condition_id", {
  params: conditionInPath,
  success: Condition,
  error,
}).annotateMerge(describe("A condition", "/v3/conditions/$CONDITION", "The tokens, payouts and market of a condition."))

const market = HttpApiEndpoint.get("market", "/v3/markets/condition/:condition_id", {
  params: conditionInPath,
  success: MarketPage,
  error,
}).annotateMerge(
  describe(
    "The market of a condition",
    "/v3/markets/condition/$CONDITION",
    "One row. A condition that the chain knows and the catalogue does not has null for names, and what the chain says.",
  ),
)

const holders = HttpApiEndpoint.get("holders", "/v3/markets/condition/:condition_id/holders", {
  params: conditionInPath,
  query: { limit: clampedLimit("holders of each outcome", listLimit) },
  success: HolderList,
  error,
}).annotateMerge(
  describe(
    "Top holders of a market",
    "/v3/markets/condition/$CONDITION/holders?limit=10",
    "The wallets with the most shares of each outcome, outcome by outcome; equal ones by address. `has_more` says that an outcome has more holders.",
  ),
)

const openInterest = HttpApiEndpoint.get("openInterest", "/v3/oi", {
  success: OpenInterest,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Open interest",
    "/v3/oi",
    "The sum over all unresolved conditions, as GET /v2/onchain/oi: added up twice a minute. 503 until the leaderboards are built for the first time.",
  ),
)

export class MarketsGroup extends HttpApiGroup.make("markets")
  .add(token, price, condition, market, holders, openInterest)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(
    OpenApi.annotations({ title: "Markets", description: "Tokens, conditions and markets, their prices and holders." }),
  ) {}
