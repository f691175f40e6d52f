import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { bulkInsert } from "#src/platform/bulkInsert.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"

interface Row {
  readonly id: number
  readonly big: bigint | null
  readonly words: string | null
  readonly bytes: Uint8Array | null
  readonly flag: boolean | null
  readonly doc: unknown
}

const things = bulkInsert<Row>({
  table: "bulk_thing",
  columns: { id: "int4", big: "int8", words: "text", bytes: "bytea", flag: "bool", doc: "jsonb" },
  suffix: "on conflict (id) do nothing returning id",
})

/** Text as Postgres takes it: no NUL, no lone surrogates. */
const words = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\u0000"))

const row = fc.record({
  big: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  words: fc.option(words),
  bytes: fc.option(fc.uint8Array({ maxLength: 64 })),
  flag: fc.option(fc.boolean()),
  doc: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.integer(), words, fc.boolean())),
})

layer(testFoundation(), { excludeTestServices: true })("bulkInsert", (it) => {
  it.effect("stores any batch of any rows exactly", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* sql`create table bulk_thing (id int primary key, big int8, words text, bytes bytea, flag bool, doc jsonb)`
      const batches = fc.sample(fc.array(row, { maxLength: 200 }), 25)
      for (const batch of batches) {
        yield* sql`truncate bulk_thing`
        const rows = batch.map((each, id): Row => ({ id, ...each }))
        const inserted = yield* things<{ id: number }>(sql, rows)
        assert.strictEqual(inserted.length, rows.length)
        const stored = yield* sql<Row>`select * from bulk_thing order by id`
        assert.deepStrictEqual(
          stored.map((each) => ({ ...each, bytes: each.bytes === null ? null : Uint8Array.from(each.bytes) })),
          rows.map((each) => ({ ...each, doc: JSON.parse(JSON.stringify(each.doc)) })),
        )
      }
    }),
  )

  it.effect("takes more rows than a statement has parameters, and passes over what is there", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* sql`truncate bulk_thing`
      const rows = Array.from(
        { length: 40_000 },
        (_, id): Row => ({ id, big: 1n, words: "x", bytes: null, flag: null, doc: {} }),
      )
      assert.strictEqual((yield* things<{ id: number }>(sql, rows)).length, 40_000)
      assert.strictEqual((yield* things<{ id: number }>(sql, rows)).length, 0)
    }),
  )
})
