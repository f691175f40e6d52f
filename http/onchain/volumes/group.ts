import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { paidOnly } from "../../access/Rule.ts"
import { describe } from "../../openapi/describe.ts"
import { Unavailable } from "../../server/errors.ts"
import { MarketOpenInterest, OpenInterest, Stats, TokenVolume } from "./shapes.ts"

const volume = HttpApiEndpoint.get("volume", "/v2/onchain/markets/:token_id/volume", {
  params: { token_id: TokenId.annotate({ description: "a token id in decimal digits" }) },
  success: TokenVolume,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Volume of a token",
    "/v2/onchain/markets/$TOKEN/volume",
    "All trades of a token, by the side of the taker. A token that the ledger does not know has `found: false`.",
  ),
)

const ofMarket = HttpApiEndpoint.get("ofMarket", "/v2/onchain/markets/:condition_id/oi", {
  params: { condition_id: ConditionId.annotate({ description: "a condition id: 0x and 64 hexadecimal digits" }) },
  success: MarketOpenInterest,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Open interest of a market",
    "/v2/onchain/markets/$CONDITION/oi",
    "The shares that are held of the most held outcome, of which each pays at most a dollar. 0 once the condition is resolved.",
  ),
)

const ofAll = HttpApiEndpoint.get("ofAll", "/v2/onchain/oi", {
  success: OpenInterest,
  error: Unavailable,
}).annotateMerge(
  describe("Open interest", "/v2/onchain/oi", "The sum over all unresolved conditions, added up twice a minute."),
)

const stats = HttpApiEndpoint.get("stats", "/v3/stats", { success: Stats, error: Unavailable })
  .annotateMerge(
    describe(
      "Totals of the ledger",
      "/v3/stats",
      "Kept up to date as blocks come. 503 until the leaderboards are built for the first time.",
    ),
  )
  .annotateMerge(paidOnly())

export class VolumesGroup extends HttpApiGroup.make("volumes")
  .add(volume, ofMarket, ofAll, stats)
  .annotateMerge(
    OpenApi.annotations({ title: "Volumes and totals", description: "What the facts of the ledger add up to." }),
  ) {}
