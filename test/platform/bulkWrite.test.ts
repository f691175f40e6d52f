import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import fc from "fast-check"
import { bulkInsert, bulkInsertFrom, bulkInsertTogether } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
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

interface Sum {
  readonly total: number | undefined
  readonly parts: ReadonlyArray<number>
  readonly at: number
}

const sums = bulkInsertFrom<Sum, { readonly owner: number }>({
  table: "bulk_sum",
  columns: {
    owner: ["int4", (_, { owner }) => owner],
    total: ["amount", ({ total }) => total ?? null],
    parts: ["int8[]", ({ parts }) => parts],
    at: ["timestamptz", ({ at }) => at],
  },
})

interface Named {
  readonly name: string
}

const named = (table: string) => ({ table, columns: { name: ["text", ({ name }: Named) => name] as const } })
const both = bulkInsertTogether<{ one: Named; other: Named }, undefined>({
  one: { ...named("bulk_one"), suffix: "on conflict do nothing" },
  other: named("bulk_other"),
})

/** Text that Postgres accepts: no NUL, no lone surrogates. */
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

  it.effect("inserts more rows than a statement has parameters, and skips existing rows", () =>
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

  it.effect("stores integers exactly up to the largest, read through column functions", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* sql`create table bulk_sum (n int generated always as identity, owner int, total int8, parts int8[], at timestamptz)`
      const items = [
        { total: Number.MAX_SAFE_INTEGER, parts: [Number.MAX_SAFE_INTEGER, -1], at: 0 },
        { total: Number.MIN_SAFE_INTEGER, parts: [], at: 1_794_700_800_123 },
        { total: -0, parts: [0], at: 1 },
        { total: undefined, parts: [2, 3], at: 2 },
        ...fc
          .sample(fc.record({ total: fc.maxSafeInteger(), parts: fc.array(fc.maxSafeInteger()), at: fc.nat() }), 200)
          .map((item): Sum => item),
      ]
      yield* sums(sql, items, { owner: 7 })
      const stored = yield* sql<{ owner: number; total: string | null; parts: string; at: Date }>`
        select owner, total::text, parts::text, at from bulk_sum order by n`
      assert.deepStrictEqual(
        stored,
        items.map(({ total, parts, at }) => ({
          owner: 7,
          total: total === undefined ? null : String(total),
          parts: `{${parts.join()}}`,
          at: new Date(at),
        })),
      )
    }),
  )

  it.effect("refuses fractional amounts, which Postgres would round", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      for (const total of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        const exit = yield* Effect.exit(sums(sql, [{ total, parts: [], at: 0 }], { owner: 8 }))
        assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("is not a whole number"), String(total))
      }
    }),
  )

  it.effect("inserts into several tables with one statement, all or nothing", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* sql`create table bulk_one (name text primary key)`
      yield* sql`create table bulk_other (name text primary key)`
      const insert = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) => {
        const items = { one: one.map((name) => ({ name })), other: other.map((name) => ({ name })) }
        return both(sql, (kind) => items[kind], undefined)
      }
      const stored = Effect.map(
        sql<{
          name: string
        }>`select 'one ' || name as name from bulk_one union all select 'other ' || name from bulk_other`,
        (rows) => rows.map(({ name }) => name).sort(),
      )
      yield* insert([], [])
      yield* insert(["a"], ["b"])
      yield* insert([], ["c"])
      yield* insert(["a", "d"], [])
      const expected = ["one a", "one d", "other b", "other c"]
      assert.deepStrictEqual(yield* stored, expected)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(insert(["e"], ["b"]))), "b is there already")
      assert.deepStrictEqual(yield* stored, expected)
    }),
  )
})
