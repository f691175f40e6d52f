import { Clock, Duration, Effect } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { BookRecords } from "./BookRecords.ts"
import { booksRecordEvery } from "./settings.ts"
import type { TradedBooks } from "./TradedBooks.ts"

/** Records the books of traded tokens. What cannot be written is left out. */
export const recordBooks = Effect.fnUntraced(function* (lease: Lease, traded: TradedBooks) {
  const records = yield* BookRecords
  const config = yield* Configuration
  const once = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    records.write(lease, traded.take(now, Duration.toMillis(config.get(booksRecordEvery)))),
  ).pipe(
    Effect.catchTags({
      SqlError: (error) => Effect.logDebug(describe(error)),
      CommitUnknown: (error) => Effect.logDebug(error.message),
      Saturated: (error) => Effect.logDebug(error.message),
    }),
  )
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("1 second")))
})
