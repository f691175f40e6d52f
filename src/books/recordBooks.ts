import { Effect } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { BookRecords } from "./BookRecords.ts"
import type { TradedBooks } from "./TradedBooks.ts"

/** Records the books of traded tokens, at most one a second of each. What cannot be written is left out. */
export const recordBooks = Effect.fnUntraced(function* (lease: Lease, traded: TradedBooks) {
  const records = yield* BookRecords
  const once = Effect.suspend(() => records.write(lease, traded.take())).pipe(
    Effect.catchTags({
      SqlError: (error) => Effect.logDebug(describe(error)),
      CommitUnknown: (error) => Effect.logDebug(error.message),
      Saturated: (error) => Effect.logDebug(error.message),
    }),
  )
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("1 second")))
})
