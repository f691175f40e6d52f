import { Clock, Duration, Effect, Schema } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { dayMillis, segmentIndex } from "./segments/segmentTimes.ts"
import * as Job from "#src/mesh/Job.ts"

/** Drops the ticks that are past their retention. */
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

/** Both sources want the same days at the same time: they take turns, and the later one finds them made. */
const makersLock = 0x7469636b

/** Makes the partitions of whatever days ticks come for; the past is loaded too, so they cannot be made ahead. */
export const tickPartitions = ({ sql, tx }: Stores) => {
  const made = new Set<number>()

  // Made beside the table and then attached, which needs no lock that a reader or writer would have to wait for.
  const make = (day: number) =>
    Effect.gen(function* () {
      const name = partitionName(day)
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
      if (days.size === 0) return
      const yesterday = dayOf(yield* Clock.currentTimeMillis) - 1
      for (const day of days) {
        yield* tx(make(day))
        // An older day may be dropped by another process in the meantime, so it is looked for every time.
        if (day >= yesterday) made.add(day)
      }
    })
}

/** With the table and not before: a number must not come back for another state of the same table. */
const forgetRevisions = (sql: Stores["sql"], name: string) => {
  const [, year, month, day] = /^tick_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  const start = Date.parse(`${year}-${month}-${day}`)
  return sql`delete from tick_revision where stretch >= ${segmentIndex(start)} and stretch < ${segmentIndex(start + dayMillis)}`
}

/** Drops the days that are wholly past the retention, by Postgres' clock; what is in the way is left to the next time. */
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
      // Somebody who reads old ticks for long must neither be disturbed nor make writers queue behind us.
      const drop = Effect.andThen(sql`set local lock_timeout = '500ms'`, sql`drop table ${sql(name)}`)
      yield* tx(Effect.andThen(drop, forgetRevisions(sql, name))).pipe(
        Effect.andThen(Effect.sync(() => dropped.push(name))),
        Effect.catch((error) => Effect.logWarning(`ticks: ${name} is dropped later: ${describe(error)}`)),
      )
    }
    yield* sql`delete from tick_gap where to_at <= ${BigInt(dayOf(floor) * dayMillis)}`
    return dropped
  })
