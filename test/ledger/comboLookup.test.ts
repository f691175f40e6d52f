import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { combosOn } from "#src/ledger/resolutions/OutcomeStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { workOf } from "#test/platform/support/planWork.ts"
import { recordStatements } from "#test/platform/support/recordStatements.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const { recorded, layer: recording } = recordStatements()

const combos = 3_000
const hashOf = (n: number) => n.toString(16).padStart(64, "0")

layer(Layer.provideMerge(testFoundation(), recording), { excludeTestServices: true })(
  "Combos of a resolution",
  (it) => {
    it.effect("are found without reading all combos while the table has no statistics, as during a backfill", () =>
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        yield* sql`alter table combo set (autovacuum_enabled = false)`
        yield* sql`
        insert into condition (hash)
        select decode(lpad(to_hex(n), 64, '0'), 'hex') from generate_series(1, ${combos}::int) n`
        yield* sql`
        insert into block (number, hash, at, logs, transactions, transaction_logs)
        values (1, '\\x01', now(), 1, sha256('\\x01'), '{0}')`
        // Each has two legs: outcomes of the conditions n00 and (n + 1)00.
        yield* sql`
        insert into combo (block, log_index, at, condition, legs)
        select 1, n, now(), n, decode(lpad(to_hex(n * 256), 64, '0') || lpad(to_hex((n + 1) * 256 + 1), 64, '0'), 'hex')
        from generate_series(1, ${combos}::int) n`
        recorded.clear()
        const found = yield* combosOn(
          sql,
          Array.from({ length: 300 }, (_, i) => hashOf((i === 0 ? 7 : 1_000_000 + i) * 256)),
        )
        assert.deepStrictEqual(found.map(({ id }) => id).toSorted(), [6, 7])
        const [statement] = [...recorded.values()].filter(({ text }) => text.includes("leg_conditions"))
        if (statement === undefined) return assert.fail("no statement was recorded")
        const [work = Number.POSITIVE_INFINITY] = yield* workOf(
          sql,
          statement.text,
          statement.runs.slice(0, 1),
          "force_custom_plan",
        )
        assert.isBelow(work, 100)
      }),
    )

    it.effect("are in an index that is always up to date, as all indexes of this kind are", () =>
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        const indexes = yield* sql<{ name: string; options: ReadonlyArray<string> | null }>`
        select i.relname as name, i.reloptions as options
        from pg_class i join pg_am m on m.oid = i.relam
        where m.amname = 'gin' and i.relnamespace = to_regnamespace(current_schema())`
        assert.isAbove(indexes.length, 3)
        for (const { name, options } of indexes) assert.include(options ?? [], "fastupdate=off", name)
      }),
    )
  },
)
