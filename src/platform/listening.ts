import { Schema } from "effect"

/** Somebody else listens there. */
export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", {
  port: Schema.Number,
  /** The environment variable that chooses another one. */
  variable: Schema.String,
}) {
  override get message() {
    return `port ${this.port} is taken by another program: stop it, or choose another with ${this.variable} (0 takes a free one)`
  }
}

/** The address cannot be listened on, for example because it is not of this machine. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Number,
  variable: Schema.String,
  reason: Schema.String,
}) {
  override get message() {
    return `cannot listen on ${this.host}:${this.port} (HOST and ${this.variable}): ${this.reason}`
  }
}
