import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact } from "#src/domain/Fact.ts"
import { vacuumSeldom } from "./seldomVacuum.ts"

const known = new WeakMap<SqlClient, Set<number>>()

/** Months since the year 0. */
const monthOf = (at: number) => {
  const date = new Date(at)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
const startOf = (month: number) => new Date(Date.UTC(Math.floor(month / 12), month % 12)).toISOString()

/** Made beside the table and then attached, which needs no lock that a long reader would hold up. */
const make = Effect.fnUntraced(function* (sql: SqlClient, month: number) {
  const bound = (at: number) => sql.literal(`'${startOf(at)}'`)
  const name = `fill_${startOf(month).slice(0, 7).replace("-", "")}`
  const there = yield* sql`select 1 from pg_inherits where inhrelid = to_regclass(${name})`
  if (there.length > 0) return
  yield* sql`create table if not exists ${sql(name)} (like fill including defaults)`
  const deferred = yield* sql`select from deferred_index limit 1`
  if (deferred.length > 0) yield* vacuumSeldom(sql, name)
  yield* sql`alter table fill attach partition ${sql(name)} for values from (${bound(month)}) to (${bound(month + 1)})`
})

/** One partition a month, made when the first fill of the month comes. */
export const makeFillPartitions = Effect.fnUntraced(function* (sql: SqlClient, facts: ReadonlyArray<Fact>) {
  const made = known.get(sql) ?? new Set<number>()
  known.set(sql, made)
  const months = new Set<number>()
  for (const fact of facts) if (fact.kind === "fill") months.add(monthOf(fact.at))
  for (const month of months) {
    if (made.has(month)) continue
    yield* make(sql, month)
    made.add(month)
  }
})
