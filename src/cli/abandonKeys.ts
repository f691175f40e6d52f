import { Clock, Effect } from "effect"
import { everyAccount } from "#src/keys/AuthCache.ts"
import * as KeyStore from "#src/keys/KeyStore.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as FingerprintStore from "#src/secrets/FingerprintStore.ts"
import { raiseRevision } from "#src/webhooks/subscriptions/revision.ts"
import { loseSecrets } from "#src/webhooks/subscriptions/WebhookStore.ts"

/**
 * Revokes every key and forgets the secrets they were created with, so that a start with other secrets is possible; returns
 * the number of keys. It works without those secrets, which are lost by then. Webhooks wait for new secrets.
 */
export const abandonKeys = Effect.gen(function* () {
  const redis = yield* Redis
  const { sql, tx } = yield* Postgres
  const now = new Date(yield* Clock.currentTimeMillis)
  const revoked = yield* tx(
    Effect.gen(function* () {
      yield* loseSecrets(sql, yield* raiseRevision(sql), now)
      yield* FingerprintStore.forget(sql)
      return yield* KeyStore.revokeAll(sql)
    }),
  )
  yield* Effect.ignore(redis.run((client) => client.publish(keys(redis.prefix).keysChanged, everyAccount)))
  return revoked
})
