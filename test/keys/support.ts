import { Effect, Layer } from "effect"
import { Authenticator } from "#src/keys/Authenticator.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { Secrets } from "#src/keys/Secrets.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"

export const named = (name: string) => KeyName.make(name)

/** Accounts and keys on stores of their own. */
export const keysFoundation = (flags: Record<string, string> = {}) =>
  Layer.merge(Keys.layer, Authenticator.layer).pipe(
    Layer.provideMerge(Secrets.layer),
    Layer.provideMerge(testFoundation({ "presage.secret": "a secret of the tests", ...flags })),
  )

const tables = ["account", "api_key", "free_key_grant", "secret_fingerprint"] as const

/** Everything that is stored about keys, as text, bytes in hexadecimal. */
export const stored = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* Effect.forEach(
    tables,
    (table) => sql<{ row: string }>`select t::text as row from ${sql(table)} t`,
  )
  return rows.flat().map(({ row }) => row)
})
