import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { Remembered } from "#src/feed/Remembered.ts"
import { Secrets } from "#src/secrets/Secrets.ts"

const cipher = "aes-256-gcm"
const [nonceLength, tagLength] = [12, 16]
/** The same ones are asked for with every delivery. */
const mostOpened = 10_000

/** Keeps the secrets of webhooks so that the database alone does not give them away. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    readonly seal: (secret: Redacted.Redacted<string>) => Uint8Array
    /** Throws where it was sealed by another secret of the service, which the start already refuses. */
    readonly open: (sealed: Uint8Array) => Redacted.Redacted<string>
  }
>()("presage/webhooks/SecretBox") {
  static readonly layer = Layer.effect(
    SecretBox,
    Effect.map(Secrets, ({ encryptionKey }) => {
      const opened = new Remembered<string, Redacted.Redacted<string>>(mostOpened)
      const openAnew = (sealed: Uint8Array) => {
        const [nonce, rest] = [sealed.subarray(0, nonceLength), sealed.subarray(nonceLength)]
        const opening = createDecipheriv(cipher, Redacted.value(encryptionKey), nonce)
        opening.setAuthTag(rest.subarray(0, tagLength))
        const text = Buffer.concat([opening.update(rest.subarray(tagLength)), opening.final()])
        return Redacted.make(text.toString("utf8"))
      }
      return SecretBox.of({
        seal: (secret) => {
          const nonce = randomBytes(nonceLength)
          const sealing = createCipheriv(cipher, Redacted.value(encryptionKey), nonce)
          const sealed = Buffer.concat([sealing.update(Redacted.value(secret), "utf8"), sealing.final()])
          return new Uint8Array(Buffer.concat([nonce, sealing.getAuthTag(), sealed]))
        },
        open: (sealed) => {
          const key = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength).toString("latin1")
          const secret = opened.get(key) ?? openAnew(sealed)
          opened.set(key, secret)
          return secret
        },
      })
    }),
  )
}
