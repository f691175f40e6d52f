import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { BalancesStatus } from "./balances.ts"

const seconds = Schema.NullOr(Schema.Number)

/** State of one data source and its follower. */
export const SourceStatus = Schema.Struct({
  source: Schema.String,
  state: Schema.Literals(["ok", "loading", "late", "stopped", "unknown"]).annotate({
    description:
      "`loading`: the first read is not complete, so lists and names may be missing. `late`: the newest data are older, or the lag is larger, than normal. `stopped`: no process follows it. `unknown`: no process has ever reported it.",
  }),
  age_seconds: seconds.annotate({ description: "Age of the newest data; for several feeds, of the oldest one" }),
  lag: Schema.NullOr(Schema.Number).annotate({
    description: "Amount still to be read: blocks of the chain, requested books, events not yet in Redis",
  }),
  rows_per_second: Schema.Number,
  gaps: Schema.NullOr(
    Schema.Struct({
      open: Schema.Number.annotate({ description: "Time ranges that may still be filled" }),
      lost: Schema.Number.annotate({ description: "Time ranges that were never received" }),
    }),
  ),
  reconnects: Schema.Number,
  undecodable: Schema.Number.annotate({ description: "Rows and messages that could not be decoded" }),
  last_undecodable: Schema.NullOr(
    Schema.Struct({
      at: Schema.Number.annotate({ description: "Milliseconds" }),
      what: Schema.String,
      reason: Schema.String,
      sample: Schema.String,
    }),
  ),
  reported_seconds_ago: seconds.annotate({ description: "Time since the last report of a process" }),
  counted_since: Schema.NullOr(Schema.Number).annotate({ description: "Milliseconds" }),
  details: Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.Number, Schema.String]))),
}).annotate({ identifier: "SourceStatus" })
export type SourceStatus = typeof SourceStatus.Type

/** State of all sources, upstreams with an open circuit, and the last comparison with the node's balances. */
export const SourcesReport = Schema.Struct({
  sources: Schema.Array(SourceStatus),
  circuits_open: Schema.Array(Schema.String).annotate({
    description: "Upstreams that are not called for a while after repeated failures",
  }),
  coverage: Schema.Struct({
    facts: CoverageField.annotate({ description: "Of trades, exports and copy scores" }),
    positions: CoverageField.annotate({ description: "Of positions, profits and leaderboards" }),
  }).annotate({ description: "How far back the ledger reaches. Positions follow the facts while history is read" }),
  balances: BalancesStatus.annotate({
    description: "Last comparison of positions of some wallets with their balances on the node",
  }),
}).annotate({ identifier: "SourcesReport" })
export type SourcesReport = typeof SourcesReport.Type

/** What the stores know about a source, without its followers. */
export interface SourceView {
  readonly source: string
  /** Time of the newest data, in milliseconds; null without data. */
  readonly newestAt: number | null
  /** Whether that is the time of Postgres, not of the data. */
  readonly isOfStores?: boolean
  readonly lag?: number
  /** Whether the first read is still running. */
  readonly isLoading?: boolean
  readonly gaps?: { readonly open: number; readonly lost: number }
  /** Thresholds above which the source is late. */
  readonly lateAbove: { readonly ageSeconds?: number; readonly lag?: number }
  readonly details: SourceStatus["details"]
}
