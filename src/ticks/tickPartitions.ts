import { Clock, Duration, Effect, Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { dayMillis, segmentIndex } from "./segments/segmentTimes.ts"

/** Drops ticks past their retention. */
export const TickMaintenance = Job.make({
  name: "tick-maintenance",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  defaults: { concurrency: 1 },
})

type Stores = Pick<Postgres["Service"], "sql" | "tx">

const dayOf = (at: number) => Math.floor(at / dayMillis)
export const partitionName = (day: number) =>
  `tick_${new Date(day * dayMillis).toISOString().slice(0, 10).replaceAll("-", "")}`

/** Both sources create the same days at the same time: the second waits and finds them created. */
const creationLock = 0x7469636b

/** Creates the partitions of the days of these ticks. History is loaded too, so they cannot be created ahead. */
export const tickPartitions = ({ sql, tx }: Stores) => {
  const known = new Set<number>()

  // Created standalone, then attached: this takes no lock that blocks readers or writers.
  const create = (day: number) =>
    Effect.gen(function* () {
      const name = partitionName(day)
      yield* sql`select pg_advisory_xact_lock(${creationLock})`
      const found = yield* sql`select 1 from pg_class where oid = to_regclass(${name})`
      if (found.length > 0) return
      const bound = (of: number) => sql.literal(String(of * dayMillis))
      yield* sql`create table ${sql(name)} (like tick including defaults)`
      yield* sql`alter table tick attach partition ${sql(name)} for values from (${bound(day)}) to (${bound(day + 1)})`
    })

  return (moments: Iterable<number>) =>
    Effect.gen(function* () {
      const days = new Set<number>()
      for (const at of moments) if (!known.has(dayOf(at))) days.add(dayOf(at))
      if (days.size === 0) return
      const yesterday = dayOf(yield* Clock.currentTimeMillis) - 1
      for (const day of days) {
        yield* tx(create(day))
        // Another process may drop an older day in the meantime, so it is checked every time.
        if (day >= yesterday) known.add(day)
      }
    })
}

/** Runs in the transaction that drops the table: a revision must not recur for another state of the same table. */
const deleteRevisions = (sql: Stores["sql"], name: string) => {
  const [, year, month, day] = /^tick_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  const start = Date.parse(`${year}-${month}-${day}`)
  return sql`delete from tick_revision where stretch >= ${segmentIndex(start)} and stretch < ${segmentIndex(start + dayMillis)}`
}

/** Drops days entirely past the retention, by Postgres' clock; locked ones are left to the next run. */
export const dropTickPartitions = ({ sql, tx }: Stores, retention: Duration.Duration) =>
  Effect.gen(function* () {
    const [clock] = yield* sql<{ now: Date }>`select now() as now`
    const floor = (clock as { now: Date }).now.getTime() - Duration.toMillis(retention)
    const oldest = partitionName(dayOf(floor))
    const partitions = yield* sql<{ name: string }>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'tick'::regclass and c.relname < ${oldest} order by c.relname`
    const dropped: Array<string> = []
    for (const { name } of partitions) {
      // A long read of old ticks must neither fail nor make writers queue behind this lock.
      const drop = Effect.andThen(sql`set local lock_timeout = '500ms'`, sql`drop table ${sql(name)}`)
      yield* tx(Effect.andThen(drop, deleteRevisions(sql, name))).pipe(
        Effect.andThen(Effect.sync(() => dropped.push(name))),
        Effect.catch((error) => Effect.logWarning(`ticks: failed to drop ${name}, will retry: ${describe(error)}`)),
      )
    }
    yield* sql`delete from tick_gap where to_at <= ${BigInt(dayOf(floor) * dayMillis)}`
    return dropped
  })
