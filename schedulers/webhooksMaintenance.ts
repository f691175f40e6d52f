import * as Duty from "#src/mesh/Duty.ts"
import { WebhooksMaintenance } from "#src/webhooks/contracts.ts"

export const webhooksMaintenance = Duty.make({
  name: "webhooks-maintenance",
  job: WebhooksMaintenance,
  payload: {},
  every: "1 hour",
})
