import { type Duration, Effect } from "effect"
import { dayMillis } from "#src/domain/time.ts"
import { dailyPartitions, daysNow } from "#src/platform/sql/dailyPartitions.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { segmentIndex } from "./segments/segmentTimes.ts"

/** Partitions of ticks by day. History is loaded too, so they cannot be created ahead. */
export const tickPartitions = dailyPartitions({
  name: "tick",
  bound: "millis",
  creationLock: 0x7469636b,
  // With its table, because a revision must not recur for another state of the same table.
  onDrop: (sql, start) =>
    sql`delete from tick_revision where stretch >= ${segmentIndex(start)} and stretch < ${segmentIndex(start + dayMillis)}`,
})

/** Drops days entirely past the retention, by Postgres' clock; locked ones are left to the next run. */
export const dropTickPartitions = (stores: Pick<Postgres["Service"], "sql" | "tx">, retention: Duration.Duration) =>
  Effect.gen(function* () {
    const { firstKept } = yield* daysNow(stores.sql, retention)
    const dropped = yield* tickPartitions.dropBefore(stores, firstKept)
    yield* stores.sql`delete from tick_gap where to_at <= ${BigInt(firstKept * dayMillis)}`
    return dropped
  })
