import { Schema } from "effect"

const Numbers = Schema.Record(Schema.String, Schema.Number)

/** A measurement of a process, taken every few seconds. */
export const Sample = Schema.Struct({
  seconds: Schema.Number.annotate({ description: "Time that the counts cover" }),
  rss: Schema.Number.annotate({ description: "Resident memory in bytes" }),
  heap: Schema.Number.annotate({ description: "Used heap in bytes" }),
  lag: Schema.Number.annotate({ description: "Longest delay of the event loop in the last seconds, in milliseconds" }),
  cpu: Schema.Number.annotate({ description: "Cores in use" }),
  counts: Numbers.annotate({
    description:
      "What happened since the sample before: `http`, `http.429`, `http.5xx`, `limits.refused`, `rows.<source>`, `jobs.<queue>.done|retried|failed`, `webhooks.success|failure`; zeros are left out",
  }),
})
export type Sample = typeof Sample.Type

/** What a process says about itself. */
export const ProcessReport = Schema.Struct({
  host: Schema.String,
  pid: Schema.Int,
  roles: Schema.Array(Schema.String),
  version: Schema.String,
  node: Schema.String,
  /** Milliseconds, as is `at`. */
  startedAt: Schema.Number,
  at: Schema.Number,
  sample: Sample,
  /** Epochs of the leases of the actors that it runs. */
  actors: Numbers,
  /** Restarts of actors since the process started. */
  restarts: Numbers,
  /** Errors of its sources since the process started, by source and kind. */
  errors: Schema.Record(Schema.String, Numbers),
})
export type ProcessReport = typeof ProcessReport.Type

/** Names a process in Redis, and to operators. */
export const idOf = ({ host, pid }: Pick<ProcessReport, "host" | "pid">) => `${host}:${pid}`
