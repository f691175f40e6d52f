import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, ManagedRuntime, Redacted } from "effect"
import { batchesOf } from "../support/batches.ts"
import { expose } from "../support/expose.ts"
import { batch, type Fill, fillsOf, type InsertSubject, table } from "../support/fills.ts"

// As in the documentation of Effect's SQL client: `insert into … values (…), (…)` built by `sql.insert`.
const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(process.env.DATABASE_URL ?? "") }))
const sql = await runtime.runPromise(PgClient.PgClient)
let batches: ReadonlyArray<ReadonlyArray<Record<string, unknown>>> = []

const asRow = ({ id, wallet, hash, side, at }: Fill) => ({ id, wallet, hash, side, at })

expose<InsertSubject>({
  prepare: (count) => {
    batches = batchesOf(fillsOf(count).map(asRow), batch)
  },
  insert: () => {
    const all = Effect.forEach(
      batches,
      (rows) => sql.withTransaction(sql`insert into ${sql(table)} ${sql.insert(rows)}`),
      { discard: true },
    )
    return runtime.runPromise(Effect.map(Effect.timed(all), ([took]) => Duration.toSeconds(took)))
  },
})
