import { createHash } from "node:crypto"
import type { WebhookEventType, WebhookId } from "../model.ts"

/** A UUID of version 5 (RFC 9562): the same name in the same namespace is the same id, wherever it is made. */
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

/** Of all events of webhooks; to change it would send everything again. */
const namespace = "4c1f1a53-2c2d-5e0b-9d0a-6f1d6b0f7e21"

/** Of one fact, told to one webhook as one type: always the same. */
export const eventIdOf = (webhook: WebhookId, type: WebhookEventType, identity: string): string =>
  uuidV5(namespace, `${webhook}\n${type}\n${identity}`)
