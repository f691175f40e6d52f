import { Effect } from "effect"
import { EventLogMaintenance } from "#src/mesh/contracts.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"

export const eventLogMaintenance = jobWorker(EventLogMaintenance, () =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const config = yield* Configuration
    const dropped = yield* log.maintain(config.get(eventLogRetention))
    if (dropped.length > 0) yield* Effect.logInfo(`event log: dropped ${dropped.join(", ")}`)
  }).pipe(Effect.mapError(retryable)),
)
