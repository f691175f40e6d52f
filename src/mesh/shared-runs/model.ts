import { Schema } from "effect"

/** One run of shared work. It is part of the payload and of the key of the job that does the work. */
export const SharedRun = Schema.Struct({
  name: Schema.String,
  id: Schema.String.check(Schema.isPattern(/^[0-9a-f-]{36}$/)),
})
export type SharedRun = typeof SharedRun.Type

/** The worker failed for good. */
export class SharedRunFailed extends Schema.TaggedError<SharedRunFailed>()("SharedRunFailed", {
  reason: Schema.String,
}) {
  override get message() {
    return this.reason
  }
}

/** The chunks produced so far are gone, for example after Redis was wiped. */
export class SharedRunLost extends Schema.TaggedError<SharedRunLost>()("SharedRunLost", {}) {
  override get message() {
    return "the partial result is gone"
  }
}

/** No worker started in time: all are busy, or there is none. */
export class SharedRunNotStarted extends Schema.TaggedError<SharedRunNotStarted>()("SharedRunNotStarted", {
  waitedMillis: Schema.Number,
}) {
  override get message() {
    return `no worker started it within ${this.waitedMillis} ms`
  }
}

/** Shared runs hold too many bytes to start another one. */
export class SharedRunsFull extends Schema.TaggedError<SharedRunsFull>()("SharedRunsFull", { mostBytes: Schema.Int }) {
  override get message() {
    return `running and kept results hold ${this.mostBytes} bytes or more`
  }
}

/** The end of a run, and whether its chunks are kept for later callers. */
export interface RunResult {
  readonly end: Schema.Json
  readonly keep?: {
    readonly kind: string
    readonly millis: number
    /** Limit over all kept runs of this kind; the oldest are dropped first. */
    readonly mostBytes: number
  }
}
