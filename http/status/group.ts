import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Overview } from "#src/status/overview.ts"
import { Unavailable } from "../server/errors.ts"

const overview = HttpApiEndpoint.get("overview", "/v1/status", { success: Overview, error: Unavailable }).annotateMerge(
  OpenApi.annotations({
    summary: "Status of the service and its sources",
    description:
      "Key figures of the service, then each data source with the age of its newest data, its backlog, its rate and its gaps. At most one second old. Row counts are estimates.",
  }),
)

export class StatusGroup extends HttpApiGroup.make("status")
  .add(overview)
  .annotateMerge(OpenApi.annotations({ title: "Status", description: "Health of the data sources." })) {}
