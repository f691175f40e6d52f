import { Duration, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** Days that have a partition before they begin, so that a scheduler may be away for a week. */
const daysAhead = 7

const day = (date: Date) => date.toISOString().slice(0, 10)
const partitionOf = (date: Date) => `event_log_${day(date).replaceAll("-", "")}`
const plusDays = (date: Date, days: number) => new Date(date.getTime() + days * 86_400_000)

const partitionLock = 0x70726574

/** One partition per UTC day of Postgres' clock: the coming ones are made, those wholly past the retention dropped. */
export const maintainPartitions = (sql: SqlClient, retention: Duration.Duration) =>
  Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(${partitionLock})`
    const [clock] = yield* sql<{ now: Date }>`select now() as now`
    const now = (clock as { now: Date }).now
    const today = new Date(`${day(now)}T00:00:00Z`)
    for (let ahead = 0; ahead <= daysAhead; ahead++) {
      const from = plusDays(today, ahead)
      yield* sql`create table if not exists ${sql(partitionOf(from))} partition of event_log
        for values from (${sql.literal(`'${day(from)}T00:00:00Z'`)}) to (${sql.literal(`'${day(plusDays(from, 1))}T00:00:00Z'`)})`
    }
    const oldest = partitionOf(plusDays(now, -Math.ceil(Duration.toDays(retention))))
    const expired = yield* sql<{ name: string }>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'event_log'::regclass and c.relname < ${oldest} order by 1`
    for (const { name } of expired) yield* sql`drop table ${sql(name)}`
    return expired.map(({ name }) => name)
  })
