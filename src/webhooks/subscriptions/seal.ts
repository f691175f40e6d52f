import { Effect, type Redacted } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fingerprintOf } from "#src/secrets/digest.ts"
import * as FingerprintStore from "#src/secrets/FingerprintStore.ts"
import { SecretAbandoned, Secrets } from "#src/secrets/Secrets.ts"
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
