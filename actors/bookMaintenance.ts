import { Effect } from "effect"
import { recordPartitions } from "#src/books/BookRecords.ts"
import { BookMaintenance } from "#src/books/contracts.ts"
import { booksRecordRetention } from "#src/books/settings.ts"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

export const bookMaintenance = jobWorker(BookMaintenance, () =>
  Effect.gen(function* () {
    const config = yield* Configuration
    const dropped = yield* recordPartitions.drop(yield* Postgres, config.get(booksRecordRetention))
    if (dropped.length > 0) yield* Effect.logInfo(`books: dropped ${dropped.join(", ")}`)
  }).pipe(Effect.mapError(retryable)),
)
