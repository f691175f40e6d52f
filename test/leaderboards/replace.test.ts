import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { replaceable } from "#src/leaderboards/replace.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { eventually } from "#test/support/eventually.ts"
import { holding, someoneWaits } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { assertRollingExact } from "./support/expected.ts"
import { makeApply, reset } from "./support/synthetic.ts"

/** Definitions of the replaceable tables, and the names of all tables. */
const definitions = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const names = pgArray("text", [...replaceable])
  const columns = yield* sql`
    select c.relname, c.reloptions, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relname = any(${names}) and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`
  const indexes = yield* sql`select indexdef from pg_indexes where tablename = any(${names}) order by indexdef`
  const keys = yield* sql`
    select conname, contype from pg_constraint c join pg_class t on t.oid = c.conrelid
    where t.relname = any(${names}) and contype = 'p' order by conname`
  const tables = yield* sql`select tablename from pg_tables where schemaname = 'public' order by tablename`
  return { columns, indexes, keys, tables }
})

layer(ledger.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })("Rebuilt boards", (it) => {
  it.effect("have the same table definitions as before, and wait for long readers of the old ones", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const apply = makeApply(yield* (yield* Leases).seize("chain"))
      yield* reset
      yield* apply({ kind: "pair", condition: 1 })
      yield* apply({ kind: "market", condition: 1, event: 1 })
      yield* apply({ kind: "tags", event: 1, tags: ["a", "b"], category: "x" })
      yield* apply({ kind: "block", hours: 1, gains: [{ wallet: 1, token: 1, amount: 5 }] })
      const before = yield* definitions
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      assert.deepStrictEqual(yield* definitions, before)

      yield* apply({ kind: "block", hours: 1, gains: [{ wallet: 2, token: 1, amount: 7 }] })
      yield* sql`update leaderboard_state set stale = true`
      const again = yield* holding(
        "lock table leaderboard_rolling in access share mode",
        Effect.gen(function* () {
          const again = yield* Effect.forkScoped(refreshLeaderboards)
          yield* eventually("the rebuild waits for the reader", someoneWaits)
          const rows = yield* sql`select 1 from leaderboard_rolling where scope = 0`
          assert.strictEqual(rows.length, 3)
          return again
        }),
      )
      assert.strictEqual(yield* Fiber.join(again), "rebuilt")
      assert.deepStrictEqual(yield* definitions, before)
      yield* assertRollingExact("after the replacement")
    }),
  )
})
