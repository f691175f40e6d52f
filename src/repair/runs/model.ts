import { Schema } from "effect"

export const RunKind = Schema.Literals(["verify", "rebuild_positions"])
export type RunKind = typeof RunKind.Type

export const RunState = Schema.Literals(["queued", "running", "done", "failed", "cancelled"])
export type RunState = typeof RunState.Type

/** A check or repair that an operator started. */
export interface Run {
  readonly id: string
  readonly kind: RunKind
  readonly state: RunState
  readonly requestedBy: string
  readonly requestedAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly step: string | null
  /** 0 to 1. */
  readonly progress: number
  readonly cancelRequested: boolean
  readonly result: unknown
  readonly error: string | null
}

export const VerifyResult = Schema.Struct({
  ok: Schema.Boolean,
  checks: Schema.Array(Schema.Struct({ check: Schema.String, ok: Schema.Boolean, detail: Schema.String })),
})

export const RebuildSummary = Schema.Struct({
  from: Schema.Int.annotate({ description: "First block" }),
  to: Schema.Int.annotate({ description: "Last block" }),
  positions: Schema.Int,
  realized_events: Schema.Int,
  differed: Schema.Struct({ positions: Schema.Int, realized_events: Schema.Int, undo: Schema.Int }).annotate({
    description: "Rows that were wrong and are corrected",
  }),
})

export interface RunProgress {
  readonly step: string
  readonly progress: number
}

/** Both read the whole ledger, so only one runs at a time. */
export class AnotherRuns extends Schema.TaggedError<AnotherRuns>()("AnotherRuns", { kind: RunKind }) {}

export class NoSuchRun extends Schema.TaggedError<NoSuchRun>()("NoSuchRun", { id: Schema.String }) {}
