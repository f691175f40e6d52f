import type { WebhookEventType } from "../model.ts"

/** ISO 8601 with fractional seconds and offset. */
const momentOf = (millis: number): string => new Date(millis).toISOString().replace("Z", "+00:00")

export const publicEventId = (uuid: string): string => `evt_${uuid}`

/** Writes what is sent. Events for several webhooks share their data, which is written once. */
export const envelopes = (type: WebhookEventType, now: number) => {
  const written = new Map<object, string>()
  const createdAt = momentOf(now)
  return (eventId: string, data: Readonly<Record<string, unknown>>): string => {
    const text = written.get(data) ?? JSON.stringify(data)
    written.set(data, text)
    return `{"id":"${publicEventId(eventId)}","type":"${type}","created_at":"${createdAt}","data":${text}}`
  }
}
