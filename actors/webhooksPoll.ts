import { Effect } from "effect"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { WebhooksPoll } from "#src/webhooks/contracts.ts"
import { Polling } from "#src/webhooks/polling/Polling.ts"

export const webhooksPoll = jobWorker(WebhooksPoll, ({ poller }) =>
  Effect.flatMap(Polling, ({ tick }) => tick(poller)).pipe(Effect.mapError(retryable)),
)
