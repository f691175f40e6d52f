import { Clock, Duration, Effect } from "effect"
import { Retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { WebhooksMaintenance } from "#src/webhooks/contracts.ts"
import * as MaintenanceStore from "#src/webhooks/delivery/MaintenanceStore.ts"
import { webhooksRetention } from "#src/webhooks/settings.ts"

export const webhooksMaintenance = jobWorker(WebhooksMaintenance, () =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const retention = Duration.toMillis((yield* Configuration).get(webhooksRetention))
    const { attempts, deliveries } = yield* MaintenanceStore.deleteBefore(
      sql,
      new Date((yield* Clock.currentTimeMillis) - retention),
    )
    if (attempts + deliveries > 0)
      yield* Effect.logInfo(`webhooks: deleted ${deliveries} deliveries and ${attempts} attempts`)
  }).pipe(Effect.mapError((error) => new Retryable({ reason: describe(error) }))),
)
