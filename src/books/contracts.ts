import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"

/** Drops recorded books past their retention. */
export const BookMaintenance = Job.make({
  name: "book-maintenance",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  defaults: { concurrency: 1 },
})
