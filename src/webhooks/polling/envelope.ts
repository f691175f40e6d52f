import type { Confirmations } from "../confirmationLevels.ts"
import { isOnChain } from "../eventTypes.ts"
import type { WebhookEventType } from "../model.ts"

type Data = Readonly<Record<string, unknown>>

/** The JSON body of a delivery. */
export interface Envelope {
  readonly id: string
  readonly type: WebhookEventType
  readonly created_at: string
  readonly data: Data
  /** How certain the fact was, at least, when the delivery was written; absent for events that are not on the chain. */
  readonly confirmations?: Confirmations
}

const certainty = (type: WebhookEventType, confirmations: Confirmations | undefined) =>
  confirmations === undefined || !isOnChain(type) ? {} : { confirmations }

/** ISO 8601 with fractional seconds and offset. */
const momentOf = (millis: number): string => new Date(millis).toISOString().replace("Z", "+00:00")

export const publicEventId = (uuid: string): string => `evt_${uuid}`

/** What the envelopes of a batch have in common. */
export interface EnvelopeOptions {
  readonly type: WebhookEventType
  readonly now: number
  /** Unknown if there is no fact. */
  readonly confirmations: Confirmations | undefined
}

/** `id` is the public one. */
export const envelopeOf = ({ type, now, confirmations }: EnvelopeOptions, id: string, data: Data): Envelope => ({
  id,
  type,
  created_at: momentOf(now),
  data,
  ...certainty(type, confirmations),
})

/** Serializes envelopes. Deliveries of one event share their data, which is serialized once. */
export const envelopeTexts = ({ type, now, confirmations }: EnvelopeOptions) => {
  const serialized = new Map<Data, string>()
  const createdAt = momentOf(now)
  const end = JSON.stringify(certainty(type, confirmations)).slice(1, -1)
  return (eventId: string, data: Data): string => {
    const text = serialized.get(data) ?? JSON.stringify(data)
    serialized.set(data, text)
    return `{"id":"${publicEventId(eventId)}","type":"${type}","created_at":"${createdAt}","data":${text}${end === "" ? "" : `,${end}`}}`
  }
}
