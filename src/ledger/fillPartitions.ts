import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact } from "#src/domain/Fact.ts"
import { dayMillis, dayNumber } from "#src/domain/time.ts"
import { reduceVacuum } from "./deferredUpkeep.ts"

const partitions = new WeakMap<SqlClient, Set<number>>()

/** Months since year 0. */
const monthOf = (at: number) => {
  const date = new Date(at)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
const startOf = (month: number) => Date.UTC(Math.floor(month / 12), month % 12)

/** Creates the partition as a table and attaches it: this needs no lock that conflicts with long reads. */
const create = Effect.fnUntraced(function* (sql: SqlClient, month: number) {
  const bound = (at: number) => sql.literal(`${startOf(at) / 1000}`)
  const name = `fill_${new Date(startOf(month)).toISOString().slice(0, 7).replace("-", "")}`
  const attached = yield* sql`select 1 from pg_inherits where inhrelid = to_regclass(${name})`
  if (attached.length > 0) return
  yield* sql`create table if not exists ${sql(name)} (like fill including defaults)`
  const deferred = yield* sql`select from deferred_index limit 1`
  if (deferred.length > 0) yield* reduceVacuum(sql, name)
  yield* sql`alter table fill attach partition ${sql(name)} for values from (${bound(month)}) to (${bound(month + 1)})`
})

/** Creates one partition per month, with the first fill of the month. */
export const makePartitionsAt = Effect.fnUntraced(function* (sql: SqlClient, times: Iterable<number>) {
  const made = partitions.get(sql) ?? new Set<number>()
  partitions.set(sql, made)
  const days = new Set<number>()
  for (const at of times) days.add(dayNumber(at))
  for (const month of new Set([...days].map((day) => monthOf(day * dayMillis)))) {
    if (made.has(month)) continue
    yield* create(sql, month)
    made.add(month)
  }
})

export const makeFillPartitions = (sql: SqlClient, facts: ReadonlyArray<Fact>) =>
  makePartitionsAt(
    sql,
    facts.flatMap((fact) => (fact.kind === "fill" ? [fact.at] : [])),
  )
