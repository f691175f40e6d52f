import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import * as buckets from "#src/limits/buckets.ts"
import { Elsewhere } from "../access/Elsewhere.ts"
import { costing } from "../access/Rule.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, Unavailable } from "../server/errors.ts"
import { OnlineAnswer, onlineQuery, SearchFailed } from "./shapes.ts"

const search = HttpApiEndpoint.get("search", "/v2/search/online", {
  query: onlineQuery,
  success: OnlineAnswer,
  error: [BadInput, SearchFailed, Unavailable],
}).annotateMerge(
  describe(
    "Search the public web",
    "/v2/search/online?q=nba+injuries&max_results=5&time_range=week",
    `Results are best-effort and cached: equal requests share an answer for \`cache_ttl_seconds\`. Pages that several engines found appear
once. An engine that fails is listed in \`unresponsive_engines\` and makes the answer \`partial\`, which is cached for a minute at most. If
none answers, it is 502. Beta: optional fields may be added.`,
  ),
)

export class OnlineSearchGroup extends HttpApiGroup.make("online-search")
  .add(search)
  .annotate(Elsewhere, true)
  .annotateEndpointsMerge(costing({ perKey: buckets.onlineSearch }))
  .annotateMerge(OpenApi.annotations({ title: "Online search", description: "Search of the public web." })) {}
