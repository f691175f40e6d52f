import type { SecretBox } from "../subscriptions/SecretBox.ts"
import type { Parcel } from "./model.ts"
import { headersOf } from "./signature.ts"

/** The headers of an attempt that is made now: signed with the secret, and with the one before it while that counts. */
export const headersFor = (
  box: SecretBox["Service"],
  parcel: Omit<Parcel, "account" | "url">,
  attempt: number,
  now: number,
): Record<string, string> => {
  const { webhook, eventId, eventType, body, secret, previousSecret, previousUntil } = parcel
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
