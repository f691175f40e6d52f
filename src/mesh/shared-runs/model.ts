import { Schema } from "effect"

/** One piece of work that others wait for: goes into the payload of the job that does it, and into the job's key. */
export const Flight = Schema.Struct({
  name: Schema.String,
  id: Schema.String.check(Schema.isPattern(/^[0-9a-f-]{36}$/)),
})
export type Flight = typeof Flight.Type

/** Whoever did the work has given it up. */
export class FlightFailed extends Schema.TaggedError<FlightFailed>()("FlightFailed", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** What it had brought is gone, as after Redis was wiped. */
export class FlightLost extends Schema.TaggedError<FlightLost>()("FlightLost", {}) {
  override get message() {
    return "what was found so far is gone"
  }
}

/** No worker has begun with it in time: all are busy, or there is none. */
export class FlightNotTaken extends Schema.TaggedError<FlightNotTaken>()("FlightNotTaken", {
  waitedMillis: Schema.Number,
}) {
  override get message() {
    return `no worker has begun with it within ${this.waitedMillis} ms`
  }
}

/** All together hold so much that no other one is begun. */
export class FlightsFull extends Schema.TaggedError<FlightsFull>()("FlightsFull", { mostBytes: Schema.Int }) {
  override get message() {
    return `what is under way and what is kept holds ${this.mostBytes} bytes or more`
  }
}

/** How a flight ends, in few words, and whether others may have it as it is for a while. */
export interface Landing {
  readonly end: Schema.Json
  readonly keep?: {
    readonly kind: string
    readonly millis: number
    /** Of all that are kept of this kind; the oldest go first. */
    readonly mostBytes: number
  }
}
