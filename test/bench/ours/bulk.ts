import { Duration, Effect } from "effect"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { batchesOf } from "../support/batches.ts"
import { expose } from "../support/expose.ts"
import { batch, type Fill, fillsOf, type InsertSubject, table } from "../support/fills.ts"
import { foundationRuntime } from "./foundation.ts"

const insertFills = bulkInsert<Fill>({
  table,
  columns: { id: "int8", wallet: "int4", hash: "bytea", side: "text", at: "timestamptz" },
})

const runtime = foundationRuntime()
const { sql, tx } = await runtime.runPromise(Postgres)
let batches: ReadonlyArray<ReadonlyArray<Fill>> = []

expose<InsertSubject>({
  prepare: (count) => {
    batches = batchesOf(fillsOf(count), batch)
  },
  insert: () => {
    const all = Effect.forEach(batches, (rows) => tx(insertFills(sql, rows)), { discard: true })
    return runtime.runPromise(Effect.map(Effect.timed(all), ([took]) => Duration.toSeconds(took)))
  },
})
