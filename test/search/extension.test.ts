import { randomBytes } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { createExtension, ExtensionMissing } from "#src/platform/sql/extension.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { administrate } from "#test/support/administrate.ts"
import { emptyDatabase } from "#test/support/TestStores.ts"

/** A database of somebody else: its role may create tables and no extensions. */
const restricted = Effect.gen(function* () {
  const url = new URL(Redacted.value(yield* emptyDatabase))
  const [role, password] = [`r_${randomBytes(6).toString("hex")}`, randomBytes(12).toString("hex")]
  const admin = administrate(url.href)
  const run = (...statements: ReadonlyArray<string>) =>
    admin((sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
  yield* Effect.acquireRelease(
    run(`create role ${role} login password '${password}'`, `grant all on schema public to ${role}`),
    () => Effect.orDie(run(`drop owned by ${role}`, `drop role ${role}`)),
  )
  const own = new URL(url)
  own.username = role
  own.password = password
  return { admin, url: Redacted.make(own.href) }
})

it.effect("A Postgres without an extension is refused at the start, with what to do", () =>
  Effect.gen(function* () {
    const { admin, url } = yield* restricted
    const migrated = migrate(url, { "0001_search": createExtension("pg_trgm") })
    const failure = yield* Effect.flip(migrated)
    assert.instanceOf(failure, ExtensionMissing)
    assert.match(failure.message, /contrib package.*create extension pg_trgm/)
    yield* admin((sql) => sql`create extension pg_trgm`)
    assert.deepStrictEqual(yield* migrated, ["0001_search"])
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
)
