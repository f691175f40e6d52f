import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Overview } from "#src/status/overview.ts"
import { Unavailable } from "../errors.ts"

const overview = HttpApiEndpoint.get("overview", "/v1/status", { success: Overview, error: Unavailable }).annotateMerge(
  OpenApi.annotations({
    summary: "How the service and its sources stand",
    description:
      "A few numbers of the service as a whole, then every source of data with how old its newest data are, what is still to be read, how fast it comes and what is missing. At most a second old. Counts of rows are estimates.",
  }),
)

export class StatusGroup extends HttpApiGroup.make("status")
  .add(overview)
  .annotateMerge(OpenApi.annotations({ title: "Status", description: "What comes in, and how well." })) {}
