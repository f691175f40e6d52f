import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { paidOnly } from "../access/Rule.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { pageOf, timeRange } from "../v3/parameters.ts"
import { ResolutionList } from "./shapes.ts"

const resolutions = HttpApiEndpoint.get("resolutions", "/v3/resolutions", {
  query: {
    condition_id: Schema.optionalKey(ConditionId.annotate({ description: "only the resolution of this condition" })),
    ...timeRange("resolutions"),
    ...pageOf("resolutions"),
  },
  success: ResolutionList,
  error: [BadInput, NotFound, Unavailable],
}).annotateMerge(
  describe(
    "Resolutions",
    "/v3/resolutions?limit=10",
    "Conditions as they were resolved on the chain, newest first, with their payouts. A combo is resolved by the log that decides it. Pages by `cursor` neither overlap nor skip.",
  ),
)

export class ResolutionsGroup extends HttpApiGroup.make("resolutions")
  .add(resolutions)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(OpenApi.annotations({ title: "Resolutions", description: "Results of markets on the chain." })) {}
