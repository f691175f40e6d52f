import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { paidOnly } from "../access/Rule.ts"
import { clampedLimit } from "../input/page.ts"
import { Conflict, NotFound, Unavailable } from "../server/errors.ts"
import * as shapes from "./shapes.ts"

const about = (summary: string, description?: string) =>
  OpenApi.annotations({ summary, ...(description !== undefined && { description }) })

const params = { id: Schema.String.annotate({ description: "id of a webhook, as listed by GET /v3/webhooks" }) }
const eventParams = {
  ...params,
  event_id: Schema.String.annotate({
    description: "evt_…, as shown in the delivery history and in the delivery itself",
  }),
}

const headers = {
  "idempotency-key": Schema.optionalKey(
    shapes.RequestKey.annotate({
      description:
        "repeating a request with the same key within 24 hours returns the same answer and creates nothing new",
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
    `Matching events are sent to \`url\` from now on, signed with \`secret\`, which is shown only in this answer. The plan limits the number of
webhooks: starter 10, growth and pro 50, enterprise 500 (otherwise 409).

\`\`\`sh
curl -X POST "$URL/v3/webhooks" -H "x-api-key: $KEY" -H "content-type: application/json" -d '{"url":"https://example.com/hook","event_types":["large_trade"],"filters":{"min_amount_usd":1000}}'
\`\`\``,
  ),
)

const list = HttpApiEndpoint.get("list", "/v3/webhooks", {
  success: Schema.Struct({
    webhooks: Schema.Array(shapes.Webhook).annotate({ description: "Newest first" }),
    count: Schema.Int,
  }).annotate({ identifier: "WebhookList" }),
  error: Unavailable,
}).annotateMerge(about("List webhooks"))

const eventTypes = HttpApiEndpoint.get("eventTypes", "/v3/webhooks/event-types", {
  success: Schema.Struct({
    event_types: Schema.Array(shapes.EventTypeShape),
    filters: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)).annotate({
      description: "JSON Schema (2020-12) of each filter",
    }),
  }).annotate({ identifier: "WebhookEventTypeList" }),
}).annotateMerge(about("List event types", "Each with the filters that it accepts and the schema of its deliveries."))

const health = HttpApiEndpoint.get("health", "/v3/webhooks/health", {
  success: Schema.Struct({ webhooks: Schema.Array(shapes.Health).annotate({ description: "Newest first" }) }).annotate({
    identifier: "WebhookHealthList",
  }),
  error: Unavailable,
}).annotateMerge(
  about(
    "Health of the webhooks",
    "How the newest deliveries of each webhook fared, and what waits. Up to five seconds old.",
  ),
)

const preview = HttpApiEndpoint.post("preview", "/v3/webhooks/preview", {
  payload: shapes.PreviewRequest,
  success: shapes.Previewed,
  error: Unavailable,
}).annotateMerge(
  about(
    "Preview a webhook",
    "Number of events of the last 24 hours that match, with samples. Creates and sends nothing. Of first_trade, and of price_change and order_complete without wallets or tokens, it covers the newest events as far as time allows: `since` and `complete` tell. An account can run one preview at a time (otherwise 429).",
  ),
)

const get = HttpApiEndpoint.get("get", "/v3/webhooks/:id", {
  params,
  success: shapes.Webhook,
  error: [NotFound, Unavailable],
}).annotateMerge(about("Get a webhook"))

const update = HttpApiEndpoint.put("update", "/v3/webhooks/:id", {
  params,
  payload: shapes.Changes,
  success: shapes.Webhook,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about(
    "Change, pause or resume a webhook",
    "Omitted fields stay unchanged. New event types and filters apply to all events that are not processed yet, which are at most a few seconds old. Events that match while the webhook is not active are kept and can be replayed.",
  ),
)

const remove = HttpApiEndpoint.delete("remove", "/v3/webhooks/:id", {
  params,
  success: Schema.Struct({ deleted: Schema.Literal(true) }).annotate({ identifier: "DeletedWebhook" }),
  error: [NotFound, Unavailable],
}).annotateMerge(about("Delete a webhook", "Also deletes its history and its pending deliveries."))

const test = HttpApiEndpoint.post("test", "/v3/webhooks/:id/test", {
  params,
  success: shapes.Tested,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about(
    "Send a test delivery",
    "Sent immediately and once, signed like every delivery; also to a webhook that is not active. Its data is that of the newest event of the webhook's first type, preferably one that matches, with `test: true` and a `message`.",
  ),
)

const rotate = HttpApiEndpoint.post("rotate", "/v3/webhooks/:id/rotate-secret", {
  params,
  headers,
  success: shapes.Rotated,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about(
    "Rotate the signing secret",
    "The main signature uses the new secret immediately; for a day, a second header has the signature by the old one. Only one old secret is kept: send an Idempotency-Key, so that a repeated request rotates only once.",
  ),
)

const deliveries = HttpApiEndpoint.get("deliveries", "/v3/webhooks/:id/deliveries", {
  params,
  query: {
    limit: clampedLimit("attempts", { default: 50, max: 200 }),
    offset: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })).annotate({
        description: "attempts to skip, up to 10000; `before` reaches further and is not shifted by new attempts",
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
        description: "true: only successful attempts, false: only failed ones",
      }),
    ),
  },
  success: Schema.Struct({
    deliveries: Schema.Array(shapes.Attempt).annotate({ description: "All attempts, newest first, kept for 7 days" }),
    count: Schema.Int.annotate({ description: "Attempts on this page" }),
  }).annotate({ identifier: "DeliveryAttemptList" }),
  error: [NotFound, Unavailable],
}).annotateMerge(about("List delivery attempts"))

const delivery = HttpApiEndpoint.get("delivery", "/v3/webhooks/:id/deliveries/:event_id", {
  params: eventParams,
  success: shapes.Delivery,
  error: [NotFound, Unavailable],
}).annotateMerge(about("Get a delivery", "Its status and the bytes that are sent. Test deliveries are not kept."))

const redeliver = HttpApiEndpoint.post("redeliver", "/v3/webhooks/:id/deliveries/:event_id/redeliver", {
  params: eventParams,
  success: shapes.Released,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about("Redeliver an event", "Independent of its status: the same bytes and id, with five new attempts."),
)

const replay = HttpApiEndpoint.post("replay", "/v3/webhooks/:id/replay", {
  params,
  payload: shapes.Replay,
  success: shapes.Replayed,
  error: [NotFound, Conflict, Unavailable],
}).annotateMerge(
  about(
    "Replay missed events",
    "All events since a time that failed, matched while the webhook was not active, or exceeded the daily cap. Up to 10000 per request: while `complete` is false, repeat the request with `after`.",
  ),
)

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(create, list, eventTypes, health, preview, get, update, remove)
  .add(test, rotate, deliveries, delivery, redeliver, replay)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description:
        "Signed deliveries of events to your URL. The deliveries are described under `webhooks` in this document and in GET /v3/webhooks/event-types.",
    }),
  ) {}
