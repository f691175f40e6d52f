import * as Duty from "#src/mesh/Duty.ts"
import { pollerNames, pollers, WebhooksPoll } from "#src/webhooks/contracts.ts"

export const webhooks = pollerNames.map((poller) =>
  Duty.make({
    name: `webhooks-poll-${poller.replaceAll("_", "-")}`,
    job: WebhooksPoll,
    payload: { poller },
    every: pollers[poller].every,
  }),
)
