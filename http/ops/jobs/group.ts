import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { limitOf, offsetOf } from "../../input/page.ts"
import { NotFound, Unavailable } from "../../server/errors.ts"
import { about, maybeMoment, moment } from "../shapes.ts"

const Queue = Schema.Struct({
  queue: Schema.String,
  waiting: Schema.Number,
  prioritized: about("Waiting behind all others"),
  active: Schema.Number,
  delayed: Schema.Number,
  failed: about("Failed for good; kept for a week, until retried or dropped"),
  per_minute: Schema.Struct({ done: Schema.Number, retried: Schema.Number, failed: Schema.Number }).annotate({
    description: "Runs of the last minute",
  }),
})

const FailedJob = Schema.Struct({
  id: Schema.String,
  reason: Schema.String,
  attempts: Schema.Number,
  created_at: moment,
  failed_at: maybeMoment,
  payload: Schema.String.annotate({ description: "JSON, shortened" }),
})

const inQueue = { queue: Schema.String.annotate({ description: "name of a queue" }) }
const one = { ...inQueue, id: Schema.String.annotate({ description: "id of a failed job" }) }
const errors = [NotFound, Unavailable] as const
const Affected = Schema.Struct({ jobs: about("Jobs that were affected") })

const list = HttpApiEndpoint.get("list", "/ops/v1/jobs", {
  success: Schema.Struct({ queues: Schema.Array(Queue) }),
  error: Unavailable,
}).annotateMerge(OpenApi.annotations({ summary: "List queues", description: "Jobs by state, and recent rates." }))

const failed = HttpApiEndpoint.get("failed", "/ops/v1/jobs/:queue/failed", {
  params: inQueue,
  query: { limit: limitOf("jobs", { default: 50, max: 200 }), offset: offsetOf("jobs") },
  success: Schema.Struct({ total: Schema.Number, jobs: Schema.Array(FailedJob) }),
  error: errors,
}).annotateMerge(OpenApi.annotations({ summary: "List failed jobs", description: "Newest first, with the reason." }))

const retry = HttpApiEndpoint.post("retry", "/ops/v1/jobs/:queue/failed/:id/retry", {
  params: one,
  success: FailedJob,
  error: errors,
}).annotateMerge(OpenApi.annotations({ summary: "Retry a failed job", description: "Runs it once more. Audited." }))

const drop = HttpApiEndpoint.delete("drop", "/ops/v1/jobs/:queue/failed/:id", {
  params: one,
  success: FailedJob,
  error: errors,
}).annotateMerge(OpenApi.annotations({ summary: "Drop a failed job", description: "Deletes it. Audited." }))

const retryAll = HttpApiEndpoint.post("retryAll", "/ops/v1/jobs/:queue/retry", {
  params: inQueue,
  success: Affected,
  error: errors,
}).annotateMerge(OpenApi.annotations({ summary: "Retry all failed jobs of a queue", description: "Audited." }))

const dropAll = HttpApiEndpoint.delete("dropAll", "/ops/v1/jobs/:queue/failed", {
  params: inQueue,
  success: Affected,
  error: errors,
}).annotateMerge(OpenApi.annotations({ summary: "Drop all failed jobs of a queue", description: "Audited." }))

export class JobsGroup extends HttpApiGroup.make("jobs")
  .add(list, failed, retry, drop, retryAll, dropAll)
  .annotateMerge(OpenApi.annotations({ title: "Jobs", description: "Queues and failed jobs." })) {}
