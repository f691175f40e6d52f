import { Context, Effect, Layer } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { hexOfToken } from "#src/domain/TokenId.ts"
import type { Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { dailyPartitions } from "#src/platform/sql/dailyPartitions.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { packLevels } from "./levelBytes.ts"
import { booksRecordLevels } from "./settings.ts"
import type { TradedBook } from "./TradedBooks.ts"

export const recordPartitions = dailyPartitions({ name: "book_record", bound: "millis", creationLock: 0x64617973 })

const insertRecords = bulkInsert<{ at: bigint; token: number; levels: Uint8Array }>({
  table: "book_record",
  columns: { at: "int8", token: "int4", levels: "bytea" },
  suffix: "on conflict do nothing",
})

/** Recorded order books. */
export class BookRecords extends Context.Service<
  BookRecords,
  {
    readonly write: (lease: Lease, books: ReadonlyArray<TradedBook>) => Effect.Effect<void, TxError | LeaseLost>
  }
>()("presage/books/BookRecords") {
  static readonly layer = Layer.effect(
    BookRecords,
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const dictionary = yield* Dictionary
      const config = yield* Configuration
      const createPartitions = recordPartitions.creator(postgres)
      return BookRecords.of({
        write: Effect.fn("BookRecords.write")(function* (lease, books) {
          const most = config.get(booksRecordLevels)
          if (most === 0 || books.length === 0) return
          yield* createPartitions(books.map(({ at }) => at))
          const ids = yield* dictionary.tokens(books.map(({ token }) => hexOfToken(token)))
          const rows = books.flatMap(({ token, at, ...sides }) => {
            const id = ids.get(hexOfToken(token))
            return id === undefined ? [] : [{ at: BigInt(at), token: id, levels: packLevels(sides, most) }]
          })
          yield* lease.tx(Effect.asVoid(insertRecords(postgres.sql, rows)))
        }),
      })
    }),
  )
}
