import { Schema } from "effect"

const seconds = Schema.NullOr(Schema.Number)

/** How one source of data stands, with whatever follows it. */
export const SourceStatus = Schema.Struct({
  source: Schema.String,
  state: Schema.Literals(["ok", "late", "stopped", "unknown"]).annotate({
    description:
      "`late`: the newest data are older, or more is still to be read, than is usual. `stopped`: no process follows it. `unknown`: nothing has ever come.",
  }),
  age_seconds: seconds.annotate({ description: "Since the moment that the newest data are of; of the oldest feed" }),
  lag: Schema.NullOr(Schema.Number).annotate({
    description:
      "What is still to be read: blocks of the chain, books that are wanted, events that are not in Redis yet",
  }),
  rows_per_second: Schema.Number,
  gaps: Schema.NullOr(
    Schema.Struct({
      open: Schema.Number.annotate({ description: "Stretches that may still come" }),
      lost: Schema.Number.annotate({ description: "Stretches that never came" }),
    }),
  ),
  reconnects: Schema.Number,
  undecodable: Schema.Number.annotate({ description: "Rows and messages that could not be read" }),
  last_undecodable: Schema.NullOr(
    Schema.Struct({
      at: Schema.Number.annotate({ description: "Milliseconds" }),
      what: Schema.String,
      reason: Schema.String,
      sample: Schema.String,
    }),
  ),
  reported_seconds_ago: seconds.annotate({ description: "Since a process last said what it counted" }),
  counted_since: Schema.NullOr(Schema.Number).annotate({ description: "Milliseconds" }),
  details: Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.Number, Schema.String]))),
})
export type SourceStatus = typeof SourceStatus.Type

/** Everything that comes in, and who is not asked at the moment. */
export const SourcesReport = Schema.Struct({
  sources: Schema.Array(SourceStatus),
  circuits_open: Schema.Array(Schema.String).annotate({
    description: "Upstreams that failed several times in a row and are left alone for a moment",
  }),
})
export type SourcesReport = typeof SourcesReport.Type

/** What the stores say about a source, without those who follow it. */
export interface SourceView {
  readonly source: string
  /** The moment that the newest data are of, in milliseconds; null when there are none. */
  readonly newestAt: number | null
  readonly lag?: number
  readonly gaps?: { readonly open: number; readonly lost: number }
  /** Beyond these it is late. */
  readonly usual: { readonly ageSeconds?: number; readonly lag?: number }
  readonly details: SourceStatus["details"]
}
