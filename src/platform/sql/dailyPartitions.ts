import { Clock, Duration, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Postgres } from "./Postgres.ts"
import { describe } from "./sqlFailure.ts"

type Stores = Pick<Postgres["Service"], "sql" | "tx">

const dayMillis = 86_400_000
const dayOf = (at: number) => Math.floor(at / dayMillis)
const dateOf = (day: number) => new Date(day * dayMillis).toISOString().slice(0, 10)

/** How the column that cuts a table stores the beginning of a day. */
const bounds = {
  millis: (day: number) => String(day * dayMillis),
  timestamp: (day: number) => `'${dateOf(day)}T00:00:00Z'`,
}

interface DailyTable {
  readonly name: string
  readonly bound: keyof typeof bounds
  /** Two processes may create the same day at the same time: the second waits for this lock and finds it created. */
  readonly creationLock: number
  /** Whether creating a day fails soon where a long reader is in the way, instead of waiting for it. */
  readonly createsBriefly?: boolean
  /** Runs in the transaction that drops a day, with the milliseconds at which that begins. */
  readonly onDrop?: (sql: Stores["sql"], start: number) => Effect.Effect<unknown, unknown>
}

/** A long reader, such as a backup, must neither fail nor make writers queue behind our lock request. */
const briefly = (sql: SqlClient) => sql`set local lock_timeout = '500ms'`

/** The current day by Postgres' clock, counted since 1970, and the first day that is not entirely past the retention. */
export const daysNow = (sql: SqlClient, retention: Duration.Duration) =>
  Effect.map(sql<{ now: Date }>`select now() as now`, ([clock]) => {
    const now = (clock as { now: Date }).now.getTime()
    return { today: dayOf(now), firstKept: dayOf(now - Duration.toMillis(retention)) }
  })

/** Partitions of a table by UTC day, counted since 1970. Their names sort by day. */
export const dailyPartitions = (table: DailyTable) => {
  const nameOf = (day: number) => `${table.name}_${dateOf(day).replaceAll("-", "")}`
  const startOf = (name: string) => {
    const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
    return Date.parse(`${year}-${month}-${day}`)
  }

  /** Names of all partitions, the oldest first. */
  const list = (sql: SqlClient) =>
    Effect.map(
      sql<{ name: string }>`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = to_regclass(${table.name}) order by c.relname`,
      (rows) => rows.map(({ name }) => name),
    )

  /** Creates a day that is missing: first standalone, then attached. This takes no lock that blocks readers or writers. */
  const create = ({ sql, tx }: Stores, day: number) =>
    tx(
      Effect.gen(function* () {
        const name = nameOf(day)
        yield* sql`select pg_advisory_xact_lock(${table.creationLock})`
        if ((yield* sql`select from pg_class where oid = to_regclass(${name})`).length > 0) return
        if (table.createsBriefly === true) yield* briefly(sql)
        const bound = (of: number) => sql.literal(bounds[table.bound](of))
        yield* sql`create table ${sql(name)} (like ${sql(table.name)} including defaults)`
        yield* sql`
          alter table ${sql(table.name)} attach partition ${sql(name)} for values from (${bound(day)}) to (${bound(day + 1)})`
      }),
    )

  /** Drops days before this one; locked ones are left to the next run. Returns their names. */
  const dropBefore = ({ sql, tx }: Stores, firstKept: number) =>
    Effect.gen(function* () {
      const oldest = nameOf(firstKept)
      const dropped: Array<string> = []
      for (const name of yield* list(sql)) {
        if (name >= oldest) continue
        const drop = Effect.andThen(briefly(sql), sql`drop table ${sql(name)}`)
        yield* tx(Effect.andThen(drop, table.onDrop?.(sql, startOf(name)) ?? Effect.void)).pipe(
          Effect.andThen(Effect.sync(() => dropped.push(name))),
          Effect.catch((error) => Effect.logWarning(`failed to drop ${name}, will retry: ${describe(error)}`)),
        )
      }
      return dropped
    })

  return {
    nameOf,
    list,
    create,
    dropBefore,
    /** Returns a function that creates the partitions of these moments. */
    creator: (stores: Stores) => {
      const known = new Set<number>()
      return (moments: Iterable<number>) =>
        Effect.gen(function* () {
          const days = new Set(Array.from(moments, dayOf).filter((day) => !known.has(day)))
          if (days.size === 0) return
          const yesterday = dayOf(yield* Clock.currentTimeMillis) - 1
          for (const day of days) {
            yield* create(stores, day)
            // Another process may drop an older day in the meantime, so it is checked every time.
            if (day >= yesterday) known.add(day)
          }
        })
    },
    /** Milliseconds at which the oldest partition begins; undefined if there is none. */
    oldest: (sql: SqlClient) =>
      Effect.map(list(sql), ([first]) => {
        const start = startOf(first ?? "")
        return Number.isNaN(start) ? undefined : start
      }),
    /** Drops days that are entirely past the retention. Returns their names. */
    drop: (stores: Stores, retention: Duration.Duration) =>
      Effect.flatMap(daysNow(stores.sql, retention), ({ firstKept }) => dropBefore(stores, firstKept)),
  }
}
