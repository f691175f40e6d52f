import { Schema } from "effect"
import { exitCodes } from "./process/exitCodes.ts"

/** A store that was given does not answer, with the reason and where to look. */
export class StoreUnreachable extends Schema.TaggedError<StoreUnreachable>()("StoreUnreachable", {
  store: Schema.String,
  variable: Schema.String,
  where: Schema.String,
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.storeUnavailable
  override get message() {
    return `${this.store} at ${this.where} cannot be used: ${this.reason}. Check that it runs and that ${this.variable} is right.`
  }
}
