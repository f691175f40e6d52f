import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { copier } from "./rivals/copy.ts"
import type { Bench } from "./support/Bench.ts"
import { batch, csvOf, fillsOf, type InsertSubject, recreate, table } from "./support/fills.ts"
import { interleave } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"
import { BenchStores, temporaryDirectory, withStores } from "./support/stores.ts"

const rounds = 5
const count = 200_000

const csvFile = Effect.gen(function* () {
  const dir = yield* temporaryDirectory
  // Without psql, the server reads the file as another user.
  chmodSync(dir, 0o755)
  const file = join(dir, "fills.csv")
  writeFileSync(file, csvOf(fillsOf(count)))
  return file
})

/** Many rows into a table with a primary key and an index: bulkInsert compared to COPY and to a plain insert. */
export const bulk: Bench = Effect.gen(function* () {
  const { databaseUrl, environment } = yield* BenchStores
  const sql = yield* PgClient.make({ url: Redacted.make(databaseUrl), maxConnections: 1 })
  const file = yield* csvFile
  const { name, note, copy } = copier(databaseUrl, sql)
  const ours = yield* startSubject<InsertSubject>("ours/bulk.ts", environment)
  const values = yield* startSubject<InsertSubject>("rivals/multiValues.ts", environment)
  yield* ours.call("prepare", count)
  yield* values.call("prepare", count)

  /** Rows per second into a new table, after a checkpoint that flushes the previous run. */
  const measured = Effect.fnUntraced(function* (insert: Effect.Effect<number, unknown>) {
    yield* Effect.forEach([...recreate, "checkpoint"], (text) => sql.unsafe(text), { discard: true })
    const seconds = yield* insert
    const [row] = yield* sql.unsafe<{ n: bigint }>(`select count(*) as n from ${table}`)
    if (row?.n !== BigInt(count)) return yield* Effect.fail(new Error(`${row?.n} rows instead of ${count}`))
    return count / seconds
  })
  const timedCopy = Effect.map(Effect.timed(copy(file)), ([took]) => Duration.toSeconds(took))
  const results = yield* interleave(rounds, {
    ours: measured(ours.call("insert")),
    copy: measured(timedCopy),
    values: measured(values.call("insert")),
  })

  const line = {
    what: `${count.toLocaleString("en")} rows, ${batch.toLocaleString("en")} per transaction`,
    unit: "rows/s",
    ours: median(results.ours),
    alternative: { name: "multi-values", value: median(results.values) },
    limit: { name, value: median(results.copy) },
    ratio: { to: name, value: medianRatio(results.ours, results.copy) },
    goal: { share: 0.5 },
  }
  const overValues = medianRatio(results.ours, results.values)
  const notes = [
    `${overValues.toFixed(2)} times \`insert … values\`, the same rows in the same transactions`,
    `${name} loads all rows in one transaction`,
  ]
  return { lines: [line], notes: note === undefined ? notes : [...notes, note], rounds: results }
}).pipe(Effect.provide(Reactivity.layer), withStores)
