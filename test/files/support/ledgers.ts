import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { exportFacts } from "#src/files/exportFacts.ts"
import type { FileFormat } from "#src/files/model.ts"
import { factKinds } from "#src/ledger/factRows.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { livedDatabase } from "#test/ledger/support/livedThrough.ts"
import { testFoundation } from "#test/support/TestStores.ts"

/** A separate, empty ledger. */
export const emptyLedger = (settings: Record<string, string> = {}) =>
  Layer.fresh(Layer.provideMerge(ledger, testFoundation({ "event-log.retention": "1d", ...settings })))

/** A ledger that followed the shared venue to its newest block. */
export const livedLedger = Layer.fresh(
  Layer.provideMerge(ledger, testFoundation({ "event-log.retention": "1d" }, [], livedDatabase())),
)

/** A ledger that begins at the head and reads no history. */
export const headFirst = emptyLedger({ "ledger.history-order": "newest-first", "ledger.history": "none" })

/** A directory that is removed when the scope closes. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "presage-files-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true })),
)

/** Exports the ledger to a new directory, in several parts. */
export const exported = (format: FileFormat, more: { readonly from?: string; readonly until?: string } = {}) =>
  Effect.gen(function* () {
    const to = `${yield* temporaryDirectory}/facts`
    const manifest = yield* exportFacts({ to, format, factsPerPart: 1_000, ...more })
    return { to, manifest }
  })

const names: Readonly<Record<string, readonly [table: string, column: string]>> = {
  maker: ["wallet", "address"],
  taker: ["wallet", "address"],
  wallet: ["wallet", "address"],
  sender: ["wallet", "address"],
  receiver: ["wallet", "address"],
  token: ["token", "hash"],
  tokens: ["token", "hash"],
  nos: ["token", "hash"],
  yeses: ["token", "hash"],
  condition: ["condition", "hash"],
  legacy: ["condition", "hash"],
  builder: ["builder", "code"],
}

/** The rows of a table as text, with names instead of this ledger's ids. */
export const namedRows = (table: string) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const columns = yield* sql<{ name: string; isList: boolean }>`
      select attname as name, attndims > 0 as "isList" from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attname <> 'id' order by attname`
    const values = columns.map(({ name, isList }) => {
      const [of, column] = names[name] ?? []
      // Results of combos, and gains and losses of one log, are numbered in the order of ids.
      if (name === "sub" && table === "resolution") return "least(x.sub, 65536)"
      if (name === "sub" && table === "realized_event") return "0"
      if (of === undefined) return `x.${name}`
      return isList
        ? `(select array_agg(n.${column} order by i) from unnest(x.${name}) with ordinality u(id, i) join ${of} n using (id))`
        : `(select ${column} from ${of} n where n.id = x.${name})`
    })
    const rows = yield* sql.unsafe<{ row: string }>(
      `select row(${values.join(", ")})::text as row from "${table}" x order by 1`,
    )
    return rows.map(({ row }) => row)
  })

/** Everything that the ledger knows, by table. */
export const contents = Effect.gen(function* () {
  const tables: Record<string, ReadonlyArray<string>> = {}
  for (const table of [...factKinds, "realized_event", "position", "token", "opening_balance"]) {
    tables[table] = yield* namedRows(table)
  }
  const { sql } = yield* Postgres
  const blocks = yield* sql<{ row: string }>`
    select row(number, hash, at, logs)::text as row from block where logs > 0 order by number`
  return { ...tables, block: blocks.map(({ row }) => row) }
})

/** Compares table by table, and shows the rows that differ. */
export const assertSame = (
  actual: Readonly<Record<string, ReadonlyArray<string>>>,
  expected: Readonly<Record<string, ReadonlyArray<string>>>,
) => {
  assert.deepStrictEqual(Object.keys(actual), Object.keys(expected))
  for (const [table, rows] of Object.entries(expected)) {
    const [present, wanted] = [new Set(actual[table]), new Set(rows)]
    const surplus = [...present].filter((row) => !wanted.has(row))
    const missing = [...wanted].filter((row) => !present.has(row))
    assert.deepStrictEqual({ table, surplus, missing }, { table, surplus: [], missing: [] })
    assert.strictEqual(actual[table]?.length, rows.length, table)
  }
}
