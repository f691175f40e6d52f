import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { inject } from "vitest"
import { Authenticator } from "#src/keys/Authenticator.ts"
import { KeyName } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { Stores } from "#src/roles/Stores.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { testFoundation } from "#test/support/TestStores.ts"

export const named = (name: string) => KeyName.make(name)

/** Accounts and keys with their own stores. */
export const keysFoundation = (flags: Record<string, string> = {}) =>
  Layer.merge(accountKeys, Authenticator.layer).pipe(
    Layer.provideMerge(Secrets.layer),
    Layer.provideMerge(testFoundation({ "presage.secret": "a secret of the tests", ...flags })),
  )

const tables = ["account", "api_key", "free_key_grant", "secret_fingerprint"] as const

/** All stored data about keys as text, with bytes in hexadecimal. */
export const stored = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* Effect.forEach(
    tables,
    (table) => sql<{ row: string }>`select t::text as row from ${sql(table)} t`,
  )
  return rows.flat().map(({ row }) => row)
})

/** Blocks all connections to the database during the work. */
export const withoutPostgres = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const name = new URL(Redacted.value((yield* Stores).databaseUrl)).pathname.slice(1)
    const admin = yield* PgClient.make({ url: Redacted.make(inject("databaseUrl")), maxConnections: 1 })
    const allow = (allowed: string) =>
      admin`alter database ${admin(name)} with allow_connections ${admin.literal(allowed)}`
    yield* Effect.acquireRelease(allow("false"), () => Effect.orDie(allow("true")))
    yield* admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
    return yield* work
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
