import { eventTypeInfos } from "#src/webhooks/eventTypes.ts"
import { envelopeJsonSchema } from "#src/webhooks/payloadSchemas.ts"

const text = (description: string) => ({ description, schema: { type: "string" } })

const header = (name: string, description: string) => ({ name, in: "header", required: true, ...text(description) })

const headers = [
  header("X-Webhook-ID", "The webhook's id"),
  header("X-Webhook-Event", "The event type"),
  header("X-Webhook-Timestamp", "Unix seconds of this attempt"),
  header(
    "X-Webhook-Signature",
    "`sha256=` and the HMAC-SHA256 of `<timestamp>.<raw body>` in lower-case hexadecimal digits, keyed with the whole secret",
  ),
]

const answers = {
  "2XX": { description: "Within 5 seconds: the event is delivered" },
  default: {
    description: "The delivery is retried after 10 s, 60 s, 5 min and 1 h; 410 disables the webhook immediately",
  },
}

/** Documents the deliveries to webhooks. */
export const withWebhooks = (document: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...document,
  webhooks: Object.fromEntries(
    Object.values(eventTypeInfos).map(({ name, description }) => [
      name,
      {
        post: {
          operationId: `webhook.${name}`,
          tags: ["Webhooks"],
          summary: description,
          parameters: headers,
          requestBody: { required: true, content: { "application/json": { schema: envelopeJsonSchema(name) } } },
          responses: answers,
        },
      },
    ]),
  ),
})
