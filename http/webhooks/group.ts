import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { paidOnly } from "../access/Rule.ts"
import { Conflict, NotFound, Unavailable } from "../errors.ts"
import * as shapes from "./shapes.ts"

const about = (summary: string, description?: string) =>
  OpenApi.annotations({ summary, ...(description !== undefined && { description }) })

const params = { id: Schema.String.annotate({ description: "the id of a webhook, as GET /v3/webhooks tells it" }) }
const ofEvent = {
  ...params,
  event_id: Schema.String.annotate({ description: "evt_…, as the history and the delivery itself tell it" }),
}

const headers = {
  "idempotency-key": Schema.optionalKey(
    shapes.RequestKey.annotate({
      description: "the same key with the same request within 24 hours gives the same answer and makes nothing new",
    }),
  ),
}

const create = HttpApiEndpoint.post("create", "/v3/webhooks", {
  headers,
  payload: shapes.NewWebhook,
  success: shapes.Created,
  error: [Conflict, Unavailable],
}).annotateMerge(
  about(
    "Create a webhook",
    `From now on, what matches is sent to \`url\`, signed with \`secret\`, which is in this answer and nowhere else. As many as the plan has: starter 10,
growth 50, enterprise 500 (else 409).

\`\`\`sh
curl -X POST localhost:8080/v3/webhooks -H "x-api-key: $KEY" -H "content-type: application/json" -d '{"url":"https://example.com/hook","event_types":["large_trade"],"filters":{"min_amount_usd":1000}}'
\`\`\``,
  ),
)

const list = HttpApiEndpoint.get("list", "/v3/webhooks", {
  success: Schema.Struct({
    webhooks: Schema.Array(shapes.Webhook).annotate({ description: "The newest first" }),
    count: Schema.Int,
  }),
  error: Unavailable,
}).annotateMerge(about("The account's webhooks"))

const eventTypes = HttpApiEndpoint.get("eventTypes", "/v3/webhooks/event-types", {
  success: Schema.Struct({ event_types: Schema.Array(shapes.EventTypeShape) }),
}).annotateMerge(
  about("What a webhook may be told of", "With the filters that each type takes and a schema of what is sent."),
)

const preview = HttpApiEndpoint.post("preview", "/v3/webhooks/preview", {
  payload: shapes.PreviewAsked,
  success: shapes.Previewed,
  error: Unavailable,
}).annotateMerge(
  about(
    "What a webhook would have been told",
    "How many events of the last 24 hours match, with some of them. Nothing is made or sent. An account has one preview at a time (else 429).",
  ),
)

const get = HttpApiEndpoint.get("get", "/v3/webhooks/:id", {
  params,
  success: shapes.Webhook,
  error: [NotFound, Unavailable],
}).annotateMerge(about("A webhook"))

const update = HttpApiEndpoint.put("update", "/v3/webhooks/:id", {
  params,
  payload: shapes.Changes,
  success: shapes.Webhook,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about(
    "Change, pause or resume a webhook",
    "What is left out stays. Other event types or filters count for everything that was not looked at yet, which is a few seconds back at most. What came while it was not active is kept and can be replayed.",
  ),
)

const remove = HttpApiEndpoint.delete("remove", "/v3/webhooks/:id", {
  params,
  success: Schema.Struct({ deleted: Schema.Literal(true) }),
  error: [NotFound, Unavailable],
}).annotateMerge(about("Delete a webhook", "With its history, and with what was still to be sent."))

const test = HttpApiEndpoint.post("test", "/v3/webhooks/:id/test", {
  params,
  success: shapes.Tested,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about("Send a test delivery", "Now and once, signed like every other; also to a webhook that is not active."),
)

const rotate = HttpApiEndpoint.post("rotate", "/v3/webhooks/:id/rotate-secret", {
  params,
  headers,
  success: shapes.Rotated,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about(
    "Replace the signing secret",
    "The main signature is by the new one at once; for a day a second header has that by the old one. Only one old secret is kept: give an Idempotency-Key, so that asking twice replaces it once.",
  ),
)

const deliveries = HttpApiEndpoint.get("deliveries", "/v3/webhooks/:id/deliveries", {
  params,
  query: {
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 })).annotate({
        description: "attempts at most, 1 to 200; 50 when left out",
      }),
    ),
    offset: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })).annotate({
        description: "attempts to pass over, up to 10000; `before` goes further and is not shifted by new ones",
      }),
    ),
    before: Schema.optionalKey(
      Schema.String.check(
        Schema.makeFilter((text) => /^\d{1,18}$/.test(text), { message: "expected the `cursor` of an attempt" }),
      ).annotate({ description: "only attempts before the one with this `cursor`" }),
    ),
    event_id: Schema.optionalKey(Schema.String.annotate({ description: "only attempts of this event" })),
    success: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({
        description: "only those that worked, or only those that did not",
      }),
    ),
  },
  success: Schema.Struct({
    deliveries: Schema.Array(shapes.Attempt).annotate({ description: "Every attempt, the newest first, kept 7 days" }),
    count: Schema.Int.annotate({ description: "Of this page" }),
  }),
  error: [NotFound, Unavailable],
}).annotateMerge(about("Delivery history"))

const redeliver = HttpApiEndpoint.post("redeliver", "/v3/webhooks/:id/deliveries/:event_id/redeliver", {
  params: ofEvent,
  success: shapes.Released,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about("Send a delivery again", "Whatever became of it: the same bytes and id, with five attempts anew."),
)

const replay = HttpApiEndpoint.post("replay", "/v3/webhooks/:id/replay", {
  params,
  payload: shapes.Replay,
  success: shapes.Replayed,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about(
    "Send again what was missed",
    "Everything since a moment that failed, came while the webhook was not active, or was over the day's cap. Up to 10000 at a time: where `complete` is false, ask again with `after`.",
  ),
)

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(create, list, eventTypes, preview, get, update, remove, test, rotate, deliveries, redeliver, replay)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description:
        "Signed deliveries of events to an address of yours. What is sent is under `webhooks` in this document and in GET /v3/webhooks/event-types.",
    }),
  ) {}
