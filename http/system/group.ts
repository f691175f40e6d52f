import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as HttpApiSchema from "effect/unstable/httpapi/HttpApiSchema"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { HealthReport } from "#src/platform/telemetry/Health.ts"
import { openToAll } from "../access/Rule.ts"

const health = HttpApiEndpoint.get("health", "/healthz", {
  success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({ identifier: "Liveness" }),
}).annotateMerge(OpenApi.annotations({ summary: "Liveness", description: "200 while the process is running." }))

const ready = HttpApiEndpoint.get("ready", "/readyz", {
  success: HealthReport,
  error: HealthReport.pipe(HttpApiSchema.status(503)).annotate({
    identifier: "NotReadyReport",
    description: "A dependency is not ready; `dependencies` says which",
  }),
}).annotateMerge(
  OpenApi.annotations({
    summary: "Readiness",
    description:
      "200 once migrations are done, the stores accept writes, the first backfill is complete and the sources are followed; otherwise 503 with the readiness of each dependency.",
  }),
)

export class SystemGroup extends HttpApiGroup.make("system")
  .add(health.annotateMerge(openToAll()), ready.annotateMerge(openToAll()))
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Liveness and readiness of this process." })) {}
