import { Effect, Layer, Schema } from "effect"
import { Argument } from "effect/unstable/cli"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { webhooks } from "#src/roles/ApiServices.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { confirmationsOf } from "#src/webhooks/confirmationLevels.ts"
import { type Webhook, WebhookId } from "#src/webhooks/model.ts"
import { webhooksConfirmations } from "#src/webhooks/settings.ts"
import { storesFor } from "./keyServices.ts"

/** The command is invalid; nothing was changed. */
export class WebhooksCommandRefused extends Schema.TaggedError<WebhooksCommandRefused>()("WebhooksCommandRefused", {
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.reason
  }
}

export const id = Argument.String("webhook").pipe(
  Argument.withDescription("Id of a webhook, from 'presage webhooks list'"),
)

export const asWebhookId = (given: string): Effect.Effect<WebhookId, WebhooksCommandRefused> =>
  Effect.mapError(
    Schema.decodeEffect(WebhookId)(given),
    () =>
      new WebhooksCommandRefused({
        reason: `${JSON.stringify(given)}: the id of a webhook looks like wh_0123456789ab, see 'presage webhooks list'`,
      }),
  )

/** Webhooks and their deliveries for a short command. */
export const webhooksFor = (set: Readonly<Record<string, string>>) =>
  webhooks.pipe(Layer.provide(Layer.merge(Jobs.layer, Secrets.layer)), Layer.provideMerge(storesFor(set)))

export const stateOf = ({ active, seeding, disabledAt, disabledReason }: Webhook): string => {
  if (active) return seeding ? "active, seeding" : "active"
  return disabledAt === null
    ? "paused"
    : `disabled ${disabledAt.toISOString()}${disabledReason === null ? "" : `: ${disabledReason}`}`
}

/** As in the API. */
export const confirmationsOfWebhook = ({ level }: Webhook) =>
  Effect.map(Configuration, (config) => confirmationsOf(level, config.get(webhooksConfirmations)))

/** A webhook as JSON, with the field names of the API. */
export const webhookJson = Effect.fnUntraced(function* (webhook: Webhook) {
  return {
    id: webhook.id,
    account_id: webhook.account,
    url: webhook.url,
    event_types: webhook.eventTypes,
    filters: webhook.filters,
    confirmations: yield* confirmationsOfWebhook(webhook),
    description: webhook.description,
    active: webhook.active,
    seeding: webhook.seeding,
    disabled_at: webhook.disabledAt?.toISOString() ?? null,
    disabled_reason: webhook.disabledReason,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  }
})
