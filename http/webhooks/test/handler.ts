import { Duration, Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { webhooksDeadline, webhooksPreviewBudget } from "#src/webhooks/settings.ts"
import { SecretLost } from "#src/webhooks/subscriptions/errors.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { allowTime } from "../../server/deadline.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import type { WebhooksGroup } from "../group.ts"
import { ownWebhook } from "../own.ts"
import { notPossible, storeFailed } from "../translate.ts"

/** Sends an example to a webhook. */
export const testHandler = Effect.gen(function* () {
  const config = yield* Configuration
  const deliveries = yield* Deliveries
  const previews = yield* Preview
  const own = yield* ownWebhook
  return Effect.fnUntraced(function* ({ params, request }: RequestOf<typeof WebhooksGroup, "test">) {
    // An example is looked for twice, at most.
    const looking = Duration.times(config.get(webhooksPreviewBudget), 2)
    allowTime(request, Duration.sum(looking, config.get(webhooksDeadline)))
    const { id, hasSecret, eventTypes, filters } = yield* own(params.id)
    if (!hasSecret) return yield* notPossible(new SecretLost())
    const sending = Effect.flatMap(previews.example(eventTypes[0] ?? "trade", filters), (example) =>
      deliveries.test(id, example),
    )
    const { delivered, statusCode, latencyMs, error } = yield* Effect.catch(sending, storeFailed)
    return { delivered, status_code: statusCode, latency_ms: latencyMs, error }
  })
})
