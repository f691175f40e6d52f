import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { tradeStore } from "#src/trades/TradeStore.ts"
import { historyRead } from "#test/support/historyRead.ts"
import { testFoundation } from "#test/support/TestStores.ts"

layer(testFoundation(), { excludeTestServices: true })("historyIsComplete", (it) => {
  it.effect("holds once the newest block was reached and all indexes are restored", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const { sql } = postgres
      const { start } = tradeStore(postgres)
      const isIn = Effect.map(
        start({ subject: "wallet", id: "0".repeat(40), from: 0, to: 1 }),
        ({ isHistoryIn }) => isHistoryIn,
      )
      assert.isFalse(yield* isIn)
      yield* historyRead
      assert.isTrue(yield* isIn)
      yield* sql`insert into deferred_index (name, definition) values ('one', '')`
      assert.isFalse(yield* isIn)
      yield* sql`delete from deferred_index`
      yield* sql`update chain_cursor set caught_up_at = null`
      assert.isFalse(yield* isIn)
    }),
  )
})
