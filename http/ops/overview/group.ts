import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Problem } from "#src/operators/problems.ts"
import { about, moment } from "../shapes.ts"

const Figures = Schema.Struct({
  events_head: about("Sequence number of the newest event"),
  relay_lag: about("Events that are not in Redis yet"),
  jobs_waiting: about("Jobs that wait, in all queues"),
  jobs_failed: about("Jobs that failed for good and are kept"),
  deliveries_pending: about("Webhook deliveries that are not sent yet"),
  processes: about("Processes that report"),
})

const overview = HttpApiEndpoint.get("overview", "/ops/v1/overview", {
  success: Schema.Struct({
    version: Schema.String,
    at: moment,
    problems: Schema.Array(Problem).annotate({ description: "What is wrong now, the worst first" }),
    figures: Figures.annotate({ description: "0 where a store does not answer; `problems` says so" }),
  }),
}).annotateMerge(
  OpenApi.annotations({
    summary: "What is wrong now",
    description: "Answers also while a store is down, and says which.",
  }),
)

export class OverviewGroup extends HttpApiGroup.make("overview")
  .add(overview)
  .annotateMerge(OpenApi.annotations({ title: "Overview", description: "The state of the instance in words." })) {}
