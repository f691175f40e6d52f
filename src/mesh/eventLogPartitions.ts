import { Duration, Effect } from "effect"
import { dailyPartitions, daysNow } from "#src/platform/sql/dailyPartitions.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

/** Partitions are created this many days ahead, so that the scheduler may be down for a week. */
const daysAhead = 7

const partitions = dailyPartitions({
  name: "event_log",
  bound: "timestamp",
  creationLock: 0x6576706d,
  createsBriefly: true,
})

/**
 * Keeps one partition per UTC day of Postgres' clock: creates the next ones and drops those past the retention, which
 * counts whole days. Only today's and tomorrow's are required now; any other failure is left to the next run.
 */
export const maintainPartitions = (stores: Pick<Postgres["Service"], "sql" | "tx">, retention: Duration.Duration) =>
  Effect.gen(function* () {
    const wholeDays = Duration.days(Math.ceil(Duration.toDays(retention)))
    const { today, firstKept } = yield* daysNow(stores.sql, wholeDays)
    const names = new Set(yield* partitions.list(stores.sql))
    for (let day = today; day <= today + daysAhead; day++) {
      const name = partitions.nameOf(day)
      if (names.has(name)) continue
      const made = partitions.create(stores, day)
      yield* day < today + 2
        ? made
        : Effect.catch(made, (error) =>
            Effect.logWarning(`event log: ${name} is made later, because of: ${describe(error)}`),
          )
    }
    return yield* partitions.dropBefore(stores, firstKept)
  })
