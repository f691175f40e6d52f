import { createHmac, randomBytes } from "node:crypto"
import { Redacted } from "effect"
import type { SecretBytes } from "#src/secrets/digest.ts"
import { type Filters, type Webhook, type WebhookEventType, WebhookId } from "../model.ts"
import type { GivenFilters } from "./filterFields.ts"

/** A webhook as it is asked for. */
export interface WantedWebhook {
  readonly url: string
  readonly eventTypes: ReadonlyArray<WebhookEventType>
  readonly filters: GivenFilters
  readonly description: string | null
  /** Made here where none is given. */
  readonly secret: Redacted.Redacted<string> | undefined
  /** By which the asker knows this request again: with the same key it is done once in a day. */
  readonly requestKey: string | undefined
}

/** The answer to whoever created a webhook: the only one with its secret. */
export interface CreatedWebhook {
  readonly id: WebhookId
  readonly url: string
  readonly event_types: ReadonlyArray<WebhookEventType>
  readonly filters: Filters
  readonly secret: string
  readonly active: boolean
  readonly description: string | null
  readonly created_at: string
}

export const createdOf = (webhook: Webhook, secret: Redacted.Redacted<string>): CreatedWebhook => ({
  id: webhook.id,
  url: webhook.url,
  event_types: webhook.eventTypes,
  filters: webhook.filters,
  secret: Redacted.value(secret),
  active: webhook.active,
  description: webhook.description,
  created_at: webhook.createdAt.toISOString(),
})

export const newId = () => WebhookId.make(`wh_${randomBytes(6).toString("hex")}`)
export const newSecret = () => Redacted.make(`whsec_${randomBytes(16).toString("hex")}`)

const digestOf = (pepper: SecretBytes, text: string): Buffer =>
  createHmac("sha256", Redacted.value(pepper)).update(text).digest()

/** Tells one request from another. With the pepper, because a secret that somebody chose may be in it. */
export const digestOfWanted = (pepper: SecretBytes, wanted: WantedWebhook, filters: Filters): Buffer => {
  const secret = wanted.secret === undefined ? null : Redacted.value(wanted.secret)
  const said = [wanted.url, wanted.eventTypes, filters, wanted.description, secret]
  return digestOf(pepper, `webhook ${JSON.stringify(said)}`)
}

export const digestOfRotation = (pepper: SecretBytes, id: WebhookId): Buffer => digestOf(pepper, `rotation ${id}`)
