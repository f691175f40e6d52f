import { Clock, Duration, Effect } from "effect"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhooksMaintenance } from "#src/webhooks/contracts.ts"
import * as MaintenanceStore from "#src/webhooks/delivery/MaintenanceStore.ts"
import { webhooksRetention, webhooksRetries } from "#src/webhooks/settings.ts"

/** Beyond the longest delay of an attempt by this factor, a clock must have been wrong. */
const tooFar = 2

export const webhooksMaintenance = jobWorker(WebhooksMaintenance, () =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const config = yield* Configuration
    const now = yield* Clock.currentTimeMillis
    const longest = Math.max(60_000, ...config.get(webhooksRetries).map(Duration.toMillis))
    const early = yield* MaintenanceStore.bringForward(sql, new Date(now), new Date(now + tooFar * longest))
    if (early > 0)
      yield* Effect.logWarning(`webhooks: ${early} attempts were further away than any retry; they are due now`)
    const retention = Duration.toMillis(config.get(webhooksRetention))
    const { attempts, deliveries } = yield* MaintenanceStore.deleteBefore(sql, new Date(now - retention))
    if (attempts + deliveries > 0)
      yield* Effect.logInfo(`webhooks: deleted ${deliveries} deliveries and ${attempts} attempts`)
  }).pipe(Effect.mapError(retryable)),
)
