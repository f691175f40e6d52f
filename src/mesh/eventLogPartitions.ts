import { Duration, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

/** Partitions are created this many days ahead, so that the scheduler may be down for a week. */
const daysAhead = 7

const day = (date: Date) => date.toISOString().slice(0, 10)
const partitionOf = (date: Date) => `event_log_${day(date).replaceAll("-", "")}`
const plusDays = (date: Date, days: number) => new Date(date.getTime() + days * 86_400_000)

/** A long reader, such as a backup, must not make appenders queue behind our lock request. */
const briefly = (sql: SqlClient) => sql`set local lock_timeout = '500ms'`

/** Serialises processes that start together and need the same partitions. */
const makersLock = 0x6576706d

/** Creates the table first and then attaches it, which needs no lock that blocks readers. */
const create = (sql: SqlClient, from: Date) => {
  const bound = (date: Date) => sql.literal(`'${day(date)}T00:00:00Z'`)
  const name = sql(partitionOf(from))
  return Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(${makersLock})`
    const made = yield* sql`select 1 from pg_class where oid = to_regclass(${partitionOf(from)})`
    if (made.length > 0) return
    yield* briefly(sql)
    yield* sql`create table ${name} (like event_log including defaults)`
    yield* sql`alter table event_log attach partition ${name} for values from (${bound(from)}) to (${bound(plusDays(from, 1))})`
  })
}

const drop = (sql: SqlClient, name: string) => Effect.andThen(briefly(sql), sql`drop table ${sql(name)}`)

/**
 * Keeps one partition per UTC day of Postgres' clock: creates the next ones and drops those past the retention. Only
 * today's and tomorrow's are required now; any other failure is left to the next run.
 */
export const maintainPartitions = (
  { sql, tx }: Pick<Postgres["Service"], "sql" | "tx">,
  retention: Duration.Duration,
) =>
  Effect.gen(function* () {
    const [clock] = yield* sql<{ now: Date }>`select now() as now`
    const now = (clock as { now: Date }).now
    const today = new Date(`${day(now)}T00:00:00Z`)
    const names = new Set(
      (yield* sql<{ name: string }>`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'event_log'::regclass`).map(({ name }) => name),
    )
    const later = (what: string) =>
      Effect.catch((error: unknown) => Effect.logWarning(`event log: ${what} later, because of: ${describe(error)}`))

    for (let ahead = 0; ahead <= daysAhead; ahead++) {
      const from = plusDays(today, ahead)
      if (names.has(partitionOf(from))) continue
      const made = tx(create(sql, from))
      yield* ahead < 2 ? made : made.pipe(later(`${partitionOf(from)} is made`))
    }
    const oldest = partitionOf(plusDays(now, -Math.ceil(Duration.toDays(retention))))
    const expired = [...names].filter((name) => name < oldest).sort()
    const dropped: Array<string> = []
    for (const name of expired) {
      yield* tx(drop(sql, name)).pipe(
        Effect.andThen(Effect.sync(() => dropped.push(name))),
        later(`${name} is dropped`),
      )
    }
    return dropped
  })
