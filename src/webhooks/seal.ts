import { Effect, type Redacted } from "effect"
import { fingerprintOf } from "#src/keys/digest.ts"
import * as FingerprintStore from "#src/keys/FingerprintStore.ts"
import { SecretAbandoned } from "#src/keys/model.ts"
import { Secrets } from "#src/keys/Secrets.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { SecretBox } from "./SecretBox.ts"

/** Seals what is to be stored, so that it can be opened again: not with a secret that was given up meanwhile. */
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
