import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { LRUCache } from "lru-cache"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fingerprintOf } from "#src/secrets/digest.ts"
import * as FingerprintStore from "#src/secrets/FingerprintStore.ts"
import { SecretAbandoned, Secrets } from "#src/secrets/Secrets.ts"

/** Seals text for storage, but not with an encryption key that was abandoned meanwhile. */
export const makeSeal = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const { pepper, encryptionKey } = yield* Secrets
  const box = yield* SecretBox
  const fingerprint = fingerprintOf(pepper, encryptionKey)
  return Effect.fnUntraced(function* (text: Redacted.Redacted<string>) {
    if (!(yield* FingerprintStore.isOurs(sql, fingerprint))) return yield* new SecretAbandoned()
    return box.seal(text)
  })
})

const cipher = "aes-256-gcm"
const [nonceLength, tagLength] = [12, 16]
/** Every delivery opens its secrets. */
const cacheSize = 10_000

/** Encrypts webhook secrets, so that the database alone does not reveal them. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    readonly seal: (secret: Redacted.Redacted<string>) => Uint8Array
    /** Throws if it was sealed with another encryption key, which the start already refuses. */
    readonly open: (sealed: Uint8Array) => Redacted.Redacted<string>
  }
>()("presage/webhooks/SecretBox") {
  static readonly layer = Layer.effect(
    SecretBox,
    Effect.map(Secrets, ({ encryptionKey }) => {
      const opened = new LRUCache<string, Redacted.Redacted<string>>({ max: cacheSize })
      const decrypt = (sealed: Uint8Array) => {
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
          const secret = opened.get(key) ?? decrypt(sealed)
          opened.set(key, secret)
          return secret
        },
      })
    }),
  )
}
