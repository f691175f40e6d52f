import { Clock, Duration, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Postgres } from "./Postgres.ts"
import { describe } from "./sqlFailure.ts"

type Stores = Pick<Postgres["Service"], "sql" | "tx">

const dayMillis = 86_400_000
const dayOf = (at: number) => Math.floor(at / dayMillis)

/** Two processes may create the same day at the same time: the second waits and finds it created. */
const creationLock = 0x64617973

/** Partitions of a table by day of its column `at`, in milliseconds. Days sort by name. */
export const dailyPartitions = (table: string) => {
  const nameOf = (day: number) => `${table}_${new Date(day * dayMillis).toISOString().slice(0, 10).replaceAll("-", "")}`

  const list = (sql: SqlClient) =>
    sql<{ name: string }>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(${table}) order by c.relname`

  // Created standalone, then attached: this takes no lock that blocks readers or writers.
  const create = (sql: Stores["sql"], day: number) =>
    Effect.gen(function* () {
      const name = nameOf(day)
      yield* sql`select pg_advisory_xact_lock(${creationLock})`
      if ((yield* sql`select from pg_class where oid = to_regclass(${name})`).length > 0) return
      const bound = (of: number) => sql.literal(String(of * dayMillis))
      yield* sql`create table ${sql(name)} (like ${sql(table)} including defaults)`
      yield* sql`
        alter table ${sql(table)} attach partition ${sql(name)} for values from (${bound(day)}) to (${bound(day + 1)})`
    })

  return {
    /** Returns a function that creates the partitions of these moments. */
    creator: ({ sql, tx }: Stores) => {
      const known = new Set<number>()
      return (moments: Iterable<number>) =>
        Effect.gen(function* () {
          const days = new Set(Array.from(moments, dayOf).filter((day) => !known.has(day)))
          if (days.size === 0) return
          const yesterday = dayOf(yield* Clock.currentTimeMillis) - 1
          for (const day of days) {
            yield* tx(create(sql, day))
            // Another process may drop an older day in the meantime, so it is checked every time.
            if (day >= yesterday) known.add(day)
          }
        })
    },
    /** Milliseconds at which the oldest partition begins; undefined if there is none. */
    oldest: (sql: SqlClient) =>
      Effect.map(list(sql), ([first]) => {
        const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(first?.name ?? "") ?? []
        return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}`)
      }),
    /** Drops days entirely past the retention; locked ones are left to the next run. Returns their names. */
    drop: ({ sql, tx }: Stores, retention: Duration.Duration) =>
      Effect.gen(function* () {
        const [clock] = yield* sql<{ now: Date }>`select now() as now`
        const oldest = nameOf(dayOf((clock?.now.getTime() ?? 0) - Duration.toMillis(retention)))
        const dropped: Array<string> = []
        for (const { name } of yield* list(sql)) {
          if (name >= oldest) continue
          yield* tx(Effect.andThen(sql`set local lock_timeout = '500ms'`, sql`drop table ${sql(name)}`)).pipe(
            Effect.andThen(Effect.sync(() => dropped.push(name))),
            Effect.catch((error) => Effect.logWarning(`failed to drop ${name}, will retry: ${describe(error)}`)),
          )
        }
        return dropped
      }),
  }
}
