import { Effect, Schema } from "effect"
import { type ConfirmationsRefused, confirmationsOf } from "#src/webhooks/confirmationLevels.ts"
import type { Released, Replayed } from "#src/webhooks/delivery/Deliveries.ts"
import type { WebhookHealth } from "#src/webhooks/delivery/HealthStore.ts"
import type { AttemptRecord, DeliveryRecord } from "#src/webhooks/delivery/HistoryStore.ts"
import type { TargetRefused } from "#src/webhooks/delivery/Targets.ts"
import type { EventTypeInfo } from "#src/webhooks/eventTypes.ts"
import { type Webhook, type WebhookEventType, WebhookId } from "#src/webhooks/model.ts"
import { envelopeJsonSchema } from "#src/webhooks/payloadSchemas.ts"
import type { PreviewBusy } from "#src/webhooks/subscriptions/errors.ts"
import type { GivenFilters } from "#src/webhooks/subscriptions/filterFields.ts"
import { checkFilters, type FiltersRefused } from "#src/webhooks/subscriptions/filters.ts"
import type { NotCreated, NotDone } from "#src/webhooks/subscriptions/Webhooks.ts"
import { BadInput, Conflict, errorResponse, NotFound, type Unavailable, unavailable } from "../server/errors.ts"

export const storeFailed = unavailable("webhooks")

const notFound = () =>
  new NotFound({ error: "The webhook does not exist.", hint: "GET /v3/webhooks lists the webhooks of the account." })

const wrongInput = (error: TargetRefused | FiltersRefused | ConfirmationsRefused) =>
  error._tag === "TargetRefused"
    ? new BadInput({ error: `Field "url": ${error.reason}.`, field: "url" })
    : new BadInput({ error: error.reason, field: error.field, hint: error.hint })

const isWrongInput = <E extends { readonly _tag: string }>(
  error: E | TargetRefused | FiltersRefused | ConfirmationsRefused,
): error is TargetRefused | FiltersRefused | ConfirmationsRefused =>
  ["TargetRefused", "FiltersRefused", "ConfirmationsRefused"].includes(error._tag)

export const readFilters = (types: ReadonlyArray<WebhookEventType>, given: GivenFilters) =>
  Effect.mapError(Effect.fromResult(checkFilters(types, given)), wrongInput)

export const notPossible = ({ message }: Error) => new Conflict({ error: `Not possible: ${message}.` })

/** Why the webhook was not created. */
export const notCreated = (error: NotCreated): Effect.Effect<never, BadInput | Conflict | Unavailable> => {
  if (isWrongInput(error)) return Effect.fail(wrongInput(error))
  return error._tag === "TooManyWebhooks" || error._tag === "RequestKeyReused"
    ? Effect.fail(notPossible(error))
    : storeFailed(error)
}

/** Why the operation on a webhook failed. */
export const notDone = (error: NotDone): Effect.Effect<never, BadInput | Conflict | NotFound | Unavailable> => {
  if (isWrongInput(error)) return Effect.fail(wrongInput(error))
  if (error._tag === "SecretLost" || error._tag === "RequestKeyReused") return Effect.fail(notPossible(error))
  return error._tag === "NoSuchWebhook" ? Effect.fail(notFound()) : storeFailed(error)
}

const isId = Schema.is(WebhookId)
/** A malformed id is treated like an unknown one. */
export const idOf = (text: string): Effect.Effect<WebhookId, NotFound> =>
  isId(text) ? Effect.succeed(text) : Effect.fail(notFound())

export const noEvent = () =>
  new NotFound({ error: "This event has no delivery.", hint: "Deliveries are kept for 7 days." })

export const distinct = (types: ReadonlyArray<WebhookEventType>) => [...new Set(types)]

/** Deliveries to an inactive webhook would only be held back again. */
export const requireActive = ({ active }: Webhook): Effect.Effect<void, Conflict> =>
  active
    ? Effect.void
    : Effect.fail(
        new Conflict({
          error: "The webhook is not active.",
          hint: 'Resume it first: PUT /v3/webhooks/:id {"active":true}.',
        }),
      )

/** A preview in progress has ended by then. */
const previewRetrySeconds = "5"

export const tooManyPreviews = ({ message, whose }: PreviewBusy) =>
  errorResponse(
    429,
    { error: `Too many previews: ${message}.`, scope: `preview_${whose}`, hint: "Try again in a few seconds." },
    { "retry-after": previewRetrySeconds },
  )

export const shown = (standardConfirmations: number) => (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  event_types: webhook.eventTypes,
  filters: webhook.filters,
  confirmations: confirmationsOf(webhook.level, standardConfirmations),
  active: webhook.active,
  seeding: webhook.seeding,
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

export const shownDelivery = (eventId: string, delivery: DeliveryRecord) => ({
  event_id: eventId,
  event_type: delivery.eventType,
  status: delivery.status,
  attempts: delivery.attempt,
  created_at: delivery.createdAt.toISOString(),
  finished_at: delivery.finishedAt?.toISOString() ?? null,
  next_attempt_at: delivery.nextAt?.toISOString() ?? null,
  body: Buffer.from(delivery.body).toString(),
})

export const shownHealth = (health: WebhookHealth) => ({
  id: health.webhook,
  attempts: health.attempts,
  successes: health.successes,
  success_rate: health.attempts === 0 ? null : health.successes / health.attempts,
  latency_p50_ms: health.latencyP50Ms,
  last_success_at: health.lastSuccessAt?.toISOString() ?? null,
  last_failure_at: health.lastFailureAt?.toISOString() ?? null,
  pending: health.pending,
  oldest_due_at: health.oldestDueAt?.toISOString() ?? null,
  missed: health.missed,
})

export const shownRelease = ({ queued, overCap }: Released) => ({ queued, over_cap: overCap })

export const shownReplay = ({ next, ...released }: Replayed) => ({
  ...shownRelease(released),
  complete: next === undefined,
  next: next?.toString() ?? null,
})

export const shownType = (standardConfirmations: number) => (info: EventTypeInfo) => ({
  name: info.name,
  description: info.description,
  filters: info.filters,
  required_filters: info.required,
  exclusive: info.exclusive,
  beta: info.beta,
  confirmations: info.levels.map((level) => confirmationsOf(level, standardConfirmations)),
  cadence: info.cadence,
  cadence_seconds: info.cadenceSeconds,
  schema: envelopeJsonSchema(info.name),
})

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/
/** Unix seconds at the end of the year 9999. */
const latest = 253_402_300_799

const invalidTime = (field: string, got: string, hint: string) =>
  Effect.fail(
    new BadInput({
      error: `Field "${field}": expected Unix seconds or a time like 2026-11-15T12:00:00Z, got ${got}.`,
      field,
      hint,
    }),
  )

/** A time in Unix seconds or ISO 8601. */
export const readTime = (field: string, given: number | string): Effect.Effect<Date, BadInput> => {
  if (typeof given === "string") {
    const millis = iso.test(given) ? Date.parse(given) : Number.NaN
    if (!Number.isNaN(millis)) return Effect.succeed(new Date(millis))
    return invalidTime(field, JSON.stringify(given.slice(0, 100)), "A time in ISO 8601 must end with Z or an offset.")
  }
  if (given >= 0 && given <= latest) return Effect.succeed(new Date(Math.floor(given * 1000)))
  return invalidTime(
    field,
    String(given),
    given > latest ? "Divide milliseconds by 1000." : "The time must not be before 1970.",
  )
}
