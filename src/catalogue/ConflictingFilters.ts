import { Schema } from "effect"

/** Each name of a filter exists, but nothing has all of them. */
export class ConflictingFilters extends Schema.TaggedError<ConflictingFilters>()("ConflictingFilters", {
  names: Schema.Array(Schema.String),
}) {}
