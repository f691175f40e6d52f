import { Effect } from "effect"
import { Postgres } from "#src/platform/Postgres.ts"
import * as FingerprintStore from "./FingerprintStore.ts"
import * as KeyStore from "./KeyStore.ts"

/**
 * Gives up every key and the secrets they were made with, so that a start with other secrets is possible; tells how
 * many keys there were. It needs none of the secrets, as they are lost when it is needed.
 */
export const abandonKeys = Effect.gen(function* () {
  const postgres = yield* Postgres
  return yield* postgres.tx(Effect.andThen(FingerprintStore.forget(postgres), KeyStore.revokeAll(postgres.sql)))
})
