import { Schema } from "effect"

/** What was asked for cannot be filled in; nothing was written. */
export class FillInRefused extends Schema.TaggedError<FillInRefused>()("FillInRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** The node does not give what it should; nothing was written. */
export class HistoryUnreadable extends Schema.TaggedError<HistoryUnreadable>()("HistoryUnreadable", {
  reason: Schema.String,
}) {
  override get message() {
    return `nothing was written: ${this.reason}`
  }
}
