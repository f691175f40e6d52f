import { Schema } from "effect"

/** Each name of a filter exists, but nothing has all of them. */
export class ConflictingFilters extends Schema.TaggedError<ConflictingFilters>()("ConflictingFilters", {
  /** As the client wrote them. */
  parameters: Schema.Array(Schema.String),
}) {}
