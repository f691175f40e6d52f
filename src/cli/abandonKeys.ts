import { Clock, Effect } from "effect"
import * as KeyStore from "#src/keys/KeyStore.ts"
import { everyAccount } from "#src/keys/AuthCache.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as FingerprintStore from "#src/secrets/FingerprintStore.ts"
import { raiseRevision } from "#src/webhooks/subscriptions/revision.ts"
import { loseSecrets } from "#src/webhooks/subscriptions/WebhookStore.ts"

/**
 * Gives up every key and the secrets they were made with, so that a start with other secrets is possible; tells how
 * many keys there were. It needs none of the secrets, as they are lost when it is needed. Webhooks wait for new ones.
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
