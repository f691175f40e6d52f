import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact } from "./model.ts"

const known = new WeakMap<SqlClient, Set<string>>()

const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7)

const after = (month: string) => {
  const next = new Date(`${month}-01T00:00:00Z`)
  next.setUTCMonth(next.getUTCMonth() + 1)
  return next.toISOString().slice(0, 7)
}

/** One partition a month, made when the first fill of the month comes. */
export const makeFillPartitions = Effect.fnUntraced(function* (sql: SqlClient, facts: ReadonlyArray<Fact>) {
  const made = known.get(sql) ?? new Set<string>()
  known.set(sql, made)
  const months = new Set(facts.flatMap((fact) => (fact.kind === "fill" ? [monthOf(fact.at)] : [])))
  for (const month of months) {
    if (made.has(month)) continue
    const bound = (text: string) => sql.literal(`'${text}-01T00:00:00Z'`)
    yield* sql`create table if not exists ${sql(`fill_${month.replace("-", "")}`)} partition of fill
      for values from (${bound(month)}) to (${bound(after(month))})`
    made.add(month)
  }
})
