import { Effect } from "effect"
import type { AttemptRecord, Released, Replayed } from "#src/webhooks/delivery/Deliveries.ts"
import type { TargetRefused } from "#src/webhooks/delivery/Targets.ts"
import { envelopeJsonSchema } from "#src/webhooks/envelopeSchema.ts"
import type { EventTypeInfo } from "#src/webhooks/eventTypes.ts"
import type { Webhook, WebhookEventType } from "#src/webhooks/model.ts"
import type { GivenFilters } from "#src/webhooks/subscriptions/filterFields.ts"
import { checkFilters, type FiltersRefused } from "#src/webhooks/subscriptions/filters.ts"
import type { PreviewBusy } from "#src/webhooks/subscriptions/refusals.ts"
import type { NotCreated, NotDone } from "#src/webhooks/subscriptions/Webhooks.ts"
import { BadInput, Conflict, errorResponse, NotFound, type Unavailable, unavailable } from "../errors.ts"

const away = unavailable("webhooks")

export const notFound = () =>
  new NotFound({ error: "There is no such webhook.", hint: "GET /v3/webhooks lists those of the account." })

const wrongInput = (error: TargetRefused | FiltersRefused) =>
  error._tag === "TargetRefused"
    ? new BadInput({ error: `Field "url": ${error.reason}.`, field: "url" })
    : new BadInput({ error: error.reason, field: error.field, hint: error.hint })

export const readFilters = (types: ReadonlyArray<WebhookEventType>, given: GivenFilters) =>
  Effect.mapError(Effect.fromResult(checkFilters(types, given)), wrongInput)

export const notPossible = ({ message }: Error) => new Conflict({ error: `Not possible: ${message}.` })

/** Why there is no new webhook, in a client's words. */
export const notCreated = (error: NotCreated): Effect.Effect<never, BadInput | Conflict | Unavailable> => {
  if (error._tag === "TargetRefused" || error._tag === "FiltersRefused") return Effect.fail(wrongInput(error))
  return error._tag === "TooManyWebhooks" || error._tag === "RequestKeyReused"
    ? Effect.fail(notPossible(error))
    : away(error)
}

/** Why nothing was done with a webhook. */
export const notDone = (error: NotDone): Effect.Effect<never, BadInput | Conflict | NotFound | Unavailable> => {
  if (error._tag === "TargetRefused" || error._tag === "FiltersRefused") return Effect.fail(wrongInput(error))
  if (error._tag === "SecretLost" || error._tag === "RequestKeyReused") return Effect.fail(notPossible(error))
  return error._tag === "NoSuchWebhook" ? Effect.fail(notFound()) : away(error)
}

/** By then one that was under way has ended. */
const previewAgain = "5"

export const tooManyPreviews = ({ message, whose }: PreviewBusy) =>
  errorResponse(
    429,
    { error: `Too many previews: ${message}.`, scope: `preview_${whose}`, hint: "Try again in a few seconds." },
    { "retry-after": previewAgain },
  )

export const shown = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  event_types: webhook.eventTypes,
  filters: webhook.filters,
  active: webhook.active,
  description: webhook.description,
  has_secret: webhook.hasSecret,
  disabled_at: webhook.disabledAt?.toISOString() ?? null,
  disabled_reason: webhook.disabledReason,
  created_at: webhook.createdAt.toISOString(),
  updated_at: webhook.updatedAt.toISOString(),
})

export const shownAttempt = (record: AttemptRecord) => ({
  event_type: record.eventType,
  event_id: record.eventId,
  status_code: record.statusCode,
  latency_ms: record.latencyMs,
  attempt: record.attempt,
  success: record.success,
  error: record.error,
  error_class: record.errorClass,
  response: record.response,
  delivered_at: record.at.toISOString(),
  delivery_status: record.status,
  next_attempt_at: record.nextAt?.toISOString() ?? null,
  sequence: record.sequence?.toString() ?? null,
  cursor: record.id.toString(),
})

export const shownRelease = ({ queued, overCap }: Released) => ({ queued, over_cap: overCap })

export const shownReplay = ({ next, ...released }: Replayed) => ({
  ...shownRelease(released),
  complete: next === undefined,
  next: next?.toString() ?? null,
})

export const shownType = (info: EventTypeInfo) => ({
  name: info.name,
  description: info.description,
  filters: info.filters,
  required_filters: info.required,
  exclusive: info.exclusive,
  beta: info.beta,
  cadence: info.cadence,
  cadence_seconds: info.cadenceSeconds,
  schema: envelopeJsonSchema(info.name),
})
