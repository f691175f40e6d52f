import { createHmac } from "node:crypto"
import { Redacted } from "effect"
import { version } from "#src/platform/process/version.ts"
import type { WebhookEventType, WebhookId } from "../model.ts"
import type { SecretBox } from "../subscriptions/SecretBox.ts"
import type { SendableDelivery } from "./model.ts"

/** The headers of an attempt: signed with the secret, and with the previous one while that is valid. */
export const signedHeaders = (
  box: SecretBox["Service"],
  delivery: Omit<SendableDelivery, "account" | "url">,
  attempt: number,
  now: number,
): Record<string, string> => {
  const { webhook, eventId, eventType, body, secret, previousSecret, previousUntil } = delivery
  const isOverlap = previousSecret !== null && previousUntil !== null && previousUntil.getTime() > now
  return headersOf({
    webhook,
    eventId,
    eventType,
    attempt,
    timestamp: Math.floor(now / 1000),
    body,
    secret: box.open(secret),
    previous: isOverlap ? box.open(previousSecret) : undefined,
  })
}

export type Secret = Redacted.Redacted<string>

/** What is signed and sent in the headers of an attempt. */
export interface Signed {
  readonly webhook: WebhookId
  /** `evt_<uuid>`, the same at every attempt. */
  readonly eventId: string
  readonly eventType: WebhookEventType
  readonly attempt: number
  /** When this attempt is made, in Unix seconds. */
  readonly timestamp: number
  /** The bytes that are sent. */
  readonly body: Uint8Array
  readonly secret: Secret
  /** The secret before the last rotation, while it is valid. */
  readonly previous: Secret | undefined
}

/** Keyed with the whole secret, `whsec_` included. */
const signatureOf = (secret: Secret, timestamp: number, body: Uint8Array): string =>
  `sha256=${createHmac("sha256", Redacted.value(secret)).update(`${timestamp}.`).update(body).digest("hex")}`

const prefix = "whsec_"
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The key that Standard Webhooks libraries derive: the part after `whsec_` decoded as base64, else its bytes. */
const standardKey = (secret: Secret): Buffer => {
  const text = Redacted.value(secret)
  const rest = text.startsWith(prefix) ? text.slice(prefix.length) : text
  return Buffer.from(rest, base64.test(rest) ? "base64" : "utf8")
}

const standardSignature = (secret: Secret, { eventId, timestamp, body }: Signed): string =>
  `v1,${createHmac("sha256", standardKey(secret)).update(`${eventId}.${timestamp}.`).update(body).digest("base64")}`

/** The headers of one attempt: ours, and those of Standard Webhooks so that its libraries can verify it. */
export const headersOf = (signed: Signed): Record<string, string> => {
  const { webhook, eventId, eventType, attempt, timestamp, body, secret, previous } = signed
  const secrets = previous === undefined ? [secret] : [secret, previous]
  return {
    "content-type": "application/json",
    "user-agent": `Presage-Webhooks/${version}`,
    // The response is shown as it is.
    "accept-encoding": "identity",
    "X-Webhook-ID": webhook,
    "X-Webhook-Event": eventType,
    "X-Webhook-Timestamp": String(timestamp),
    "X-Webhook-Signature": signatureOf(secret, timestamp, body),
    ...(previous === undefined ? {} : { "X-Webhook-Signature-Previous": signatureOf(previous, timestamp, body) }),
    "X-Webhook-Attempt": String(attempt),
    "webhook-id": eventId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((each) => standardSignature(each, signed)).join(" "),
  }
}
