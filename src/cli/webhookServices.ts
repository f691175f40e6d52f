import { Effect, Layer, Schema } from "effect"
import { Argument } from "effect/unstable/cli"
import { Jobs } from "#src/mesh/Jobs.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { webhooks } from "#src/roles/ApiServices.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { type Webhook, WebhookId } from "#src/webhooks/model.ts"
import { storesFor } from "./keyServices.ts"

/** What was asked for makes no sense, and nothing was done. */
export class WebhooksCommandRefused extends Schema.TaggedError<WebhooksCommandRefused>()("WebhooksCommandRefused", {
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.reason
  }
}

export const id = Argument.String("webhook").pipe(
  Argument.withDescription("Id of the webhook, as in 'presage webhooks list'"),
)

export const asWebhookId = (given: string): Effect.Effect<WebhookId, WebhooksCommandRefused> =>
  Effect.mapError(
    Schema.decodeEffect(WebhookId)(given),
    () =>
      new WebhooksCommandRefused({
        reason: `${JSON.stringify(given)}: the id of a webhook is such as wh_0123456789ab; 'presage webhooks list' shows them`,
      }),
  )

/** Webhooks and what is owed to them, for a command that ends soon. */
export const webhooksFor = (set: Readonly<Record<string, string>>) =>
  webhooks.pipe(Layer.provide(Layer.merge(Jobs.layer, Secrets.layer)), Layer.provideMerge(storesFor(set)))

export const stateOf = ({ active, disabledAt, disabledReason }: Webhook): string => {
  if (active) return "active"
  return disabledAt === null
    ? "paused"
    : `disabled ${disabledAt.toISOString()}${disabledReason === null ? "" : `: ${disabledReason}`}`
}

/** For machines, under the names that the API has. */
export const plainWebhook = (webhook: Webhook) => ({
  id: webhook.id,
  account_id: webhook.account,
  url: webhook.url,
  event_types: webhook.eventTypes,
  filters: webhook.filters,
  description: webhook.description,
  active: webhook.active,
  disabled_at: webhook.disabledAt?.toISOString() ?? null,
  disabled_reason: webhook.disabledReason,
  created_at: webhook.createdAt.toISOString(),
  updated_at: webhook.updatedAt.toISOString(),
})
