import { Schema } from "effect"
import * as HttpApiSchema from "effect/unstable/httpapi/HttpApiSchema"
import { unprintable } from "#src/platform/text/unprintable.ts"
import { attemptErrors, deliveryStatuses, WebhookEventType, WebhookId, webhookEventTypes } from "#src/webhooks/model.ts"
import { filterNames, GivenFilters, ShownFilters } from "#src/webhooks/subscriptions/filterFields.ts"

const longestDescription = 500

const about = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
const count = (description: string) => about(Schema.Int, description)
const instant = (description: string) => about(Schema.String, `${description}, ISO 8601`)
const instantOrNull = (description: string) => about(Schema.NullOr(Schema.String), `${description}, ISO 8601`)

const Description = Schema.String.check(
  Schema.makeFilter(
    (text) => text.length <= longestDescription && !unprintable.test(text.replaceAll(/[\n\r\t]/g, "")),
    {
      message: `a description has at most ${longestDescription} characters that can be seen`,
    },
  ),
)

const Secret = Schema.String.check(
  Schema.makeFilter((text) => /^[!-~]{16,128}$/.test(text), {
    message: "a secret has 16 to 128 printable ASCII characters and no spaces",
  }),
)

/** By which a request is known again. */
export const RequestKey = Schema.String.check(
  Schema.makeFilter((text) => /^[!-~ ]{1,255}$/.test(text), { message: "a key has 1 to 255 printable characters" }),
)

const EventTypes = Schema.Array(WebhookEventType).check(
  Schema.isMinLength(1, { message: `name at least one of ${webhookEventTypes.join(", ")}` }),
  Schema.isMaxLength(100, { message: "expected at most 100 names" }),
)

const url = about(Schema.String, "where to send events: an https address that can be reached from the internet")
const event_types = about(EventTypes, "what to be told of, see GET /v3/webhooks/event-types")
const filters = about(
  GivenFilters,
  "what must hold of an event: all that is given. Each must be one that every event type of the webhook takes",
)
const description = about(Schema.NullOr(Description), `up to ${longestDescription} characters of your own`)

export const NewWebhook = Schema.Struct({
  url,
  event_types,
  filters: Schema.optionalKey(filters),
  description: Schema.optionalKey(description),
  secret: Schema.optionalKey(about(Secret, "to sign with; made for you when left out")),
})

export const Changes = Schema.Struct({
  url: Schema.optionalKey(url),
  event_types: Schema.optionalKey(about(EventTypes, "these instead of those before")),
  filters: Schema.optionalKey(about(GivenFilters, "these instead of those before")),
  active: Schema.optionalKey(about(Schema.Boolean, "false pauses, true resumes, also what was disabled")),
  description: Schema.optionalKey(description),
})

const common = {
  id: WebhookId,
  url: Schema.String,
  event_types: Schema.Array(WebhookEventType),
  filters: ShownFilters,
  active: about(Schema.Boolean, "While it is false, events are kept and can be replayed"),
  description: Schema.NullOr(Schema.String),
  created_at: instant("When it was made"),
}

export const Created = Schema.Struct({
  ...common,
  secret: about(Schema.String, "What deliveries are signed with; shown this once"),
}).pipe(HttpApiSchema.status(201))

export const Webhook = Schema.Struct({
  ...common,
  has_secret: Schema.Boolean,
  disabled_at: instantOrNull("When the service stopped sending"),
  disabled_reason: about(Schema.NullOr(Schema.String), "Why it did"),
  updated_at: instant("When it was last changed"),
})

export const Rotated = Schema.Struct({
  secret: about(Schema.String, "The new one; shown this once"),
  previous_valid_until: instant("Until then x-webhook-signature-previous is by the old one"),
})

export const Tested = Schema.Struct({
  delivered: Schema.Boolean,
  status_code: Schema.NullOr(Schema.Int),
  latency_ms: Schema.Int,
  error: Schema.NullOr(Schema.String),
})

export const Attempt = Schema.Struct({
  event_type: WebhookEventType,
  event_id: Schema.String,
  status_code: about(Schema.NullOr(Schema.Int), "What the receiver answered"),
  latency_ms: Schema.Int,
  attempt: count("From 1; 0 says why none was made"),
  success: Schema.Boolean,
  error: Schema.NullOr(Schema.String),
  error_class: Schema.NullOr(Schema.Literals(attemptErrors)),
  response: about(Schema.NullOr(Schema.String), "How the answer began"),
  delivered_at: instant("When it was made"),
  delivery_status: about(
    Schema.NullOr(Schema.Literals(deliveryStatuses)),
    "How the delivery stands now; null for tests and for what is no longer kept",
  ),
  next_attempt_at: instantOrNull("When it is tried again"),
  sequence: about(Schema.NullOr(Schema.String), "Rises from delivery to delivery of a webhook, with gaps"),
  cursor: about(Schema.String, "Give it as `before` for what came before"),
})

const Cursor = Schema.String.check(
  Schema.makeFilter((text) => /^\d{1,18}$/.test(text), { message: "expected the `next` of an answer" }),
)

export const Released = Schema.Struct({
  queued: count("Deliveries that are on their way again"),
  over_cap: count("Deliveries for which the day has none left"),
})

export const Replayed = Schema.Struct({
  ...Released.fields,
  complete: about(Schema.Boolean, "Whether everything was looked at; else ask again with `after`"),
  next: about(
    Schema.NullOr(Schema.String),
    "Give it as `after`, with the rest as it was, to go on; null when complete",
  ),
})

export const Replay = Schema.Struct({
  since: about(Schema.Union([Schema.Finite, Schema.String]), "Unix seconds, or a moment in ISO 8601 with an offset"),
  delivered: Schema.optionalKey(about(Schema.Boolean, "also what was delivered; false when left out")),
  after: Schema.optionalKey(about(Cursor, "`next` of the answer before, to go on where that stopped")),
})

export const PreviewAsked = Schema.Struct({ event_types, filters: Schema.optionalKey(filters) })

export const Previewed = Schema.Struct({
  matched: count("Events that would have been sent"),
  by_type: about(Schema.Record(Schema.String, Schema.Int), "The same by event type"),
  scanned: count("Entries of the event log that were looked at, of the kinds that the event types are about"),
  since: instant("From when on"),
  complete: about(
    Schema.Boolean,
    "Whether that is all of the last 24 hours; else there was more than a preview has time for, and it is the newest",
  ),
  samples: about(Schema.Array(Schema.Unknown), "Some of the newest, as they would have been sent"),
})

export const EventTypeShape = Schema.Struct({
  name: WebhookEventType,
  description: Schema.String,
  filters: Schema.Array(Schema.Literals(filterNames)),
  required_filters: Schema.Array(Schema.Literals(filterNames)),
  exclusive: about(Schema.Boolean, "It shares a webhook with no other type, for none takes the filters that it needs"),
  beta: Schema.Boolean,
  cadence: about(Schema.String, "How soon events are sent"),
  cadence_seconds: count("The longest time between two looks for events"),
  schema: about(Schema.Record(Schema.String, Schema.Unknown), "JSON Schema (2020-12) of all that is sent"),
})
