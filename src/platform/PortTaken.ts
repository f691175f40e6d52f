import { Schema } from "effect"

/** Somebody else listens there already. */
export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", {
  port: Schema.Number,
  /** The environment variable that chooses another one. */
  variable: Schema.String,
}) {
  override get message() {
    return `port ${this.port} is taken by another program: stop it, or choose another port with ${this.variable}`
  }
}
