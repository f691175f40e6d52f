import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { FactKind } from "#src/domain/Fact.ts"
import { factKinds } from "#src/ledger/factRows.ts"
import type { BlockTime } from "#src/ledger/historyGoal.ts"

/** Facts that stay: prices, payouts and sums of rewards follow from all of them. */
const keptKinds: ReadonlyArray<FactKind> = ["resolution", "combo", "condition_rename", "maker_payment"]

/** Facts that only lists of facts, exports and scores need once positions count them. Fills are dropped by partition. */
const droppedKinds = factKinds.filter((kind) => kind !== "fill" && !keptKinds.includes(kind))

/** The first stored block at or after a time; undefined if none is before it. */
export const firstBlockSince = (sql: SqlClient, at: number) =>
  Effect.map(
    sql<{ number: number; at: Date }>`
      select b.number, b.at from block b
      where b.at >= ${new Date(at)} and exists (select from block e where e.at < ${new Date(at)})
      order by b.number limit 1`,
    ([row]): BlockTime | undefined => row && { number: row.number, at: row.at.getTime() },
  )

/** Names of the partitions of fills before a time. */
const partitionsBefore = (sql: SqlClient, at: number) =>
  Effect.map(
    sql<{ name: string }>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'fill'::regclass and c.relname < ${`fill_${new Date(at).toISOString().slice(0, 7).replace("-", "")}`}
      order by c.relname`,
    (rows) => rows.map(({ name }) => name),
  )

/** Drops the facts before a block, which is the first of a month. Readers of fills wait until the transaction ends. */
export const dropFactsBefore = Effect.fnUntraced(function* (sql: SqlClient, { number }: BlockTime, monthStart: number) {
  yield* sql`update ledger_coverage set dropped_before = ${number}`
  for (const table of droppedKinds) yield* sql`delete from ${sql(table)} where block < ${number}`
  const kept = keptKinds.map((table) => sql`select block from ${sql(table)} where block < ${number}`)
  yield* sql`
    delete from block b where number < ${number}
      and not exists (select from (${sql.join(" union all ", false)(kept)}) k where k.block = b.number)`
  // A long read must not make all others wait behind this.
  yield* sql`set local lock_timeout = '5s'`
  for (const name of yield* partitionsBefore(sql, monthStart)) yield* sql`drop table ${sql(name)}`
})
