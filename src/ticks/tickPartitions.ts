import { Effect } from "effect"
import type { Postgres } from "#src/platform/Postgres.ts"

const dayMillis = 86_400_000

const dayOf = (at: number) => Math.floor(at / dayMillis)
const nameOf = (day: number) => `tick_${new Date(day * dayMillis).toISOString().slice(0, 10).replaceAll("-", "")}`

/** Both sources want the same days at the same time: they take turns, and the later one finds them made. */
const makersLock = 0x7469636b

/** Makes the partitions of whatever days ticks come for; the past is loaded too, so they cannot be made ahead. */
export const tickPartitions = ({ sql, tx }: Pick<Postgres["Service"], "sql" | "tx">) => {
  const made = new Set<number>()

  // Made beside the table and then attached, which needs no lock that a reader or writer would have to wait for.
  const make = (day: number) =>
    Effect.gen(function* () {
      const name = nameOf(day)
      yield* sql`select pg_advisory_xact_lock(${makersLock})`
      const found = yield* sql`select 1 from pg_class where oid = to_regclass(${name})`
      if (found.length > 0) return
      const bound = (of: number) => sql.literal(String(of * dayMillis))
      yield* sql`create table ${sql(name)} (like tick including defaults)`
      yield* sql`alter table tick attach partition ${sql(name)} for values from (${bound(day)}) to (${bound(day + 1)})`
    })

  return (moments: Iterable<number>) =>
    Effect.gen(function* () {
      const days = new Set<number>()
      for (const at of moments) if (!made.has(dayOf(at))) days.add(dayOf(at))
      for (const day of days) {
        yield* tx(make(day))
        made.add(day)
      }
    })
}
