import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { sources } from "#src/platform/config/Configuration.ts"
import { limitOf } from "../../input/page.ts"
import { BadInput, Unavailable } from "../../server/errors.ts"
import { moment } from "../shapes.ts"

const Setting = Schema.Struct({
  name: Schema.String,
  env: Schema.String,
  value: Schema.String.annotate({ description: "Secrets are not shown" }),
  source: Schema.Literals(sources),
  default: Schema.String,
  live: Schema.Boolean.annotate({ description: "Whether it can be changed while processes run" }),
  wants: Schema.String.annotate({ description: "What a valid value is" }),
  doc: Schema.String,
  differs: Schema.Array(Schema.Struct({ process: Schema.String, value: Schema.String })).annotate({
    description: "Running processes with another value",
  }),
})

const Change = Schema.Struct({
  name: Schema.String,
  from: Schema.NullOr(Schema.String).annotate({ description: "The override before; null if there was none" }),
  to: Schema.NullOr(Schema.String),
  by: Schema.String,
  at: moment,
})

const AuditLine = Schema.Struct({
  at: moment,
  by: Schema.String,
  action: Schema.String,
  subject: Schema.String,
  detail: Schema.String,
  outcome: Schema.NullOr(Schema.String).annotate({
    description: "`done`, or why it failed; null if the process ended meanwhile",
  }),
})

const params = { name: Schema.String.annotate({ description: "name of a setting" }) }

const list = HttpApiEndpoint.get("list", "/ops/v1/settings", {
  success: Schema.Struct({ settings: Schema.Array(Setting) }),
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({ summary: "List settings", description: "Effective values of this process with their source." }),
)

const tune = HttpApiEndpoint.put("tune", "/ops/v1/settings/:name", {
  params,
  payload: Schema.Struct({ value: Schema.String }),
  success: Change,
  error: [BadInput, Unavailable],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Change a setting",
    description: "In every running process within 2 s, permanently, as `presage tune` does. Audited.",
  }),
)

const reset = HttpApiEndpoint.delete("reset", "/ops/v1/settings/:name", {
  params,
  success: Change,
  error: [BadInput, Unavailable],
}).annotateMerge(
  OpenApi.annotations({ summary: "Remove an override", description: "As `presage tune --reset` does. Audited." }),
)

const audit = HttpApiEndpoint.get("audit", "/ops/v1/audit", {
  query: { limit: limitOf("lines", { default: 100, max: 500 }) },
  success: Schema.Struct({ lines: Schema.Array(AuditLine) }),
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({ summary: "What operators did", description: "Changes of settings included, newest first." }),
)

export class SettingsGroup extends HttpApiGroup.make("settings")
  .add(list, tune, reset, audit)
  .annotateMerge(OpenApi.annotations({ title: "Settings", description: "Settings, live changes and the audit." })) {}
