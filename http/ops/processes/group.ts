import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Sample } from "#src/processes/model.ts"
import { Unavailable } from "../../server/errors.ts"
import { about, moment } from "../shapes.ts"

const Process = Schema.Struct({
  id: Schema.String.annotate({ description: "`host:pid`" }),
  roles: Schema.Array(Schema.String),
  version: Schema.String,
  node: Schema.String,
  started_at: moment,
  reported_at: moment,
  is_silent: Schema.Boolean.annotate({ description: "Whether it has not reported for 30 s; it may have died" }),
  rss_bytes: Schema.Number,
  heap_bytes: Schema.Number,
  loop_lag_ms: about("Longest delay of the event loop in the last seconds"),
  cpu_cores: about("Cores in use"),
  actors: about("Actors that it runs"),
})

const list = HttpApiEndpoint.get("list", "/ops/v1/processes", {
  success: Schema.Struct({ processes: Schema.Array(Process) }),
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({
    summary: "List processes",
    description: "Running processes, and those that ended without saying so within the last hour.",
  }),
)

const history = HttpApiEndpoint.get("history", "/ops/v1/history", {
  query: {
    after: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
        description: "only samples after this time in milliseconds, as in `at`; by default all of the last hour",
      }),
    ),
  },
  success: Schema.Struct({
    samples: Schema.Array(
      Schema.Struct({ process: Schema.String, at: about("Milliseconds, by the clock of Redis"), ...Sample.fields }),
    ).annotate({ description: "Oldest first; one per process every 10 s" }),
  }),
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({ summary: "The last hour", description: "What the processes measured, for charts." }),
)

export class ProcessesGroup extends HttpApiGroup.make("processes")
  .add(list, history)
  .annotateMerge(OpenApi.annotations({ title: "Processes", description: "The processes of the instance." })) {}
