import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { SourceStatus, SourcesReport } from "#src/status/model.ts"
import { Unavailable } from "../../server/errors.ts"
import { counts } from "../shapes.ts"

const Source = Schema.Struct({
  ...SourceStatus.fields,
  errors: counts("Errors since the running processes started, by kind"),
})

const list = HttpApiEndpoint.get("list", "/ops/v1/sources", {
  success: Schema.Struct({ ...SourcesReport.fields, sources: Schema.Array(Source) }),
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({ summary: "List sources", description: "Age, backlog, gaps and errors of each data source." }),
)

export class SourcesGroup extends HttpApiGroup.make("sources")
  .add(list)
  .annotateMerge(OpenApi.annotations({ title: "Sources", description: "Data sources and their followers." })) {}
