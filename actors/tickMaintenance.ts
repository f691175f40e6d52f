import { Effect } from "effect"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { TickMaintenance } from "#src/ticks/contracts.ts"
import { ticksRetention } from "#src/ticks/settings.ts"
import { dropTickPartitions } from "#src/ticks/tickPartitions.ts"

export const tickMaintenance = jobWorker(TickMaintenance, () =>
  Effect.gen(function* () {
    const config = yield* Configuration
    const dropped = yield* dropTickPartitions(yield* Postgres, config.get(ticksRetention))
    if (dropped.length > 0) yield* Effect.logInfo(`ticks: dropped ${dropped.join(", ")}`)
  }).pipe(Effect.mapError(retryable)),
)
