import type { WebhookEventType } from "../model.ts"

type Data = Readonly<Record<string, unknown>>

/** The JSON body of a delivery. */
export interface Envelope {
  readonly id: string
  readonly type: WebhookEventType
  readonly created_at: string
  readonly data: Data
}

/** ISO 8601 with fractional seconds and offset. */
export const momentOf = (millis: number): string => new Date(millis).toISOString().replace("Z", "+00:00")

export const publicEventId = (uuid: string): string => `evt_${uuid}`

export const envelopeOf = (type: WebhookEventType, eventId: string, now: number, data: Data): Envelope => ({
  id: publicEventId(eventId),
  type,
  created_at: momentOf(now),
  data,
})

/** Serializes envelopes. Deliveries of one event share their data, which is serialized once. */
export const envelopeTexts = (type: WebhookEventType, now: number) => {
  const serialized = new Map<Data, string>()
  const createdAt = momentOf(now)
  return (eventId: string, data: Data): string => {
    const text = serialized.get(data) ?? JSON.stringify(data)
    serialized.set(data, text)
    return `{"id":"${publicEventId(eventId)}","type":"${type}","created_at":"${createdAt}","data":${text}}`
  }
}
