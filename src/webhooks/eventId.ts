import { createHash } from "node:crypto"
import type { WebhookEventType, WebhookId } from "./model.ts"

/** A UUID of version 5 (RFC 9562): the same namespace and name give the same id. */
export const uuidV5 = (namespace: string, name: string): string => {
  const bytes = createHash("sha1")
    .update(Buffer.from(namespace.replaceAll("-", ""), "hex"))
    .update(name, "utf8")
    .digest()
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString("hex", 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

/** Namespace of all webhook events; changing it would send everything again. */
const namespace = "4c1f1a53-2c2d-5e0b-9d0a-6f1d6b0f7e21"

/** The id of a fact for one webhook and event type: always the same. */
export const eventIdOf = (webhook: WebhookId, type: WebhookEventType, identity: string): string =>
  uuidV5(namespace, `${webhook}\n${type}\n${identity}`)

const pattern = /^(evt|test)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** A public event id, also of a test delivery. */
export const isEventId = (text: string): boolean => pattern.test(text)

/** The UUID of an event id; undefined for test deliveries. */
export const uuidOf = (text: string): string | undefined => {
  const [, kind, uuid] = pattern.exec(text) ?? []
  return kind === "evt" ? uuid : undefined
}
