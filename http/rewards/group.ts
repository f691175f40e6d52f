import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { Elsewhere } from "../access/Elsewhere.ts"
import { paidOnly } from "../access/Rule.ts"
import { visibleText } from "../input/visibleText.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { Rewards } from "./shapes.ts"

const query = {
  sponsored: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ description: "true: only sponsored rewards; false by default" }),
  ),
  next_cursor: Schema.optionalKey(
    visibleText("a cursor").annotate({ description: "`next_cursor` of the page before; it is the venue's own" }),
  ),
}

const origin =
  "From the venue, at most 30 seconds old. While the venue does not answer, an answer of the last ten minutes is repeated (`x-cache: stale`), else 503."

const markets = HttpApiEndpoint.get("markets", "/v3/rewards/markets", {
  query,
  success: Rewards,
  error: [BadInput, Unavailable],
}).annotateMerge(
  describe(
    "Markets with maker rewards",
    "/v3/rewards/markets",
    `What the venue pays to makers per day, by market. ${origin}`,
  ),
)

const market = HttpApiEndpoint.get("market", "/v3/rewards/markets/:condition_id", {
  params: {
    condition_id: ConditionId.annotate({ description: "a condition id: 0x and 62 or 64 hexadecimal digits" }),
  },
  query,
  success: Rewards,
  error: [BadInput, NotFound, Unavailable],
}).annotateMerge(
  describe(
    "Maker rewards of a market",
    "/v3/rewards/markets/$CONDITION",
    `\`data\` is empty if the market has no rewards at the moment; 404 if the venue does not know it. ${origin}`,
  ),
)

export class RewardsGroup extends HttpApiGroup.make("rewards")
  .add(markets, market)
  .annotate(Elsewhere, true)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(OpenApi.annotations({ title: "Rewards", description: "What the venue pays to makers." })) {}
