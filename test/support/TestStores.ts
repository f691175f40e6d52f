import { randomBytes } from "node:crypto"
import { Duration, Effect, Layer, Logger, Redacted, type Scope } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { inject } from "vitest"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { AnySetting } from "#src/platform/config/Setting.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { Stores } from "#src/roles/Stores.ts"
import { allSettings } from "#src/roles/settings.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { Tuning } from "#src/tuning/Tuning.ts"
import { administrate } from "./administrate.ts"

/** A database on the shared server, empty or a copy; dropped at the end. */
const databaseOf = Effect.fnUntraced(function* (template: string) {
  const name = `t_${randomBytes(6).toString("hex")}`
  const url = new URL(inject("databaseUrl"))
  const admin = administrate(url.href)
  yield* Effect.acquireRelease(
    // Faster than writing all its pages to the WAL, which tests do not need.
    admin((sql) => sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`),
    () => Effect.orDie(admin((sql) => sql`drop database ${sql(name)} with (force)`)),
  )
  url.pathname = `/${name}`
  return Redacted.make(url.href)
})

export const emptyDatabase = databaseOf("template0")

/** Stores have time to answer on a busy machine; tests about these limits set their own. */
const unhurried = {
  "redis.command-timeout": "20s",
  "postgres.statement-timeout": "1m",
  "postgres.lock-timeout": "30s",
  "postgres.admission-timeout": "30s",
  "cluster.lock-expiry": "1m",
  // So many blocks are read one after the other before a ledger is at the head for the first time.
  "ledger.reorg-depth": "40",
}

export const testConfiguration = (flags: Record<string, string> = {}, more: ReadonlyArray<AnySetting> = []) =>
  Configuration.layer({
    declared: [...allSettings, ...more],
    file: { path: "none", values: {} },
    env: {},
    flags: { ...unhurried, ...flags },
  })

/** Opens a migrated database with nothing in it. */
export const migratedDatabase = Effect.suspend(() => databaseOf(inject("migrated")))

/** A database of the shared server by its name, which is deleted with the server. */
const namedDatabase = (name: string) => {
  const url = new URL(inject("databaseUrl"))
  url.pathname = `/${name}`
  return Redacted.make(url.href)
}

/** Name of a database that `fill` fills once, in whichever test file comes first; the others wait for it. */
export const filledDatabase = (
  key: string,
  fill: (database: Redacted.Redacted) => Effect.Effect<void, unknown>,
  base: Effect.Effect<string, unknown, Reactivity.Reactivity> = Effect.sync(() => inject("migrated")),
) =>
  Effect.gen(function* () {
    const name = `${inject("migrated")}_${key}`
    const admin = administrate(inject("databaseUrl"))
    yield* admin((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select pg_advisory_xact_lock(hashtext(${name}))`
          const [found] = yield* sql`select 1 from pg_database where datname = ${name}`
          if (found !== undefined) return
          const unfinished = `${name}_unfinished`
          const template = yield* base
          yield* admin((other) => other`create database ${other(unfinished)} template ${other(template)}`)
          yield* fill(namedDatabase(unfinished))
          // Else copies would be queried with plans for empty tables.
          yield* administrate(Redacted.value(namedDatabase(unfinished)))((other) => other`analyze`)
          yield* admin((other) => other`alter database ${other(unfinished)} rename to ${other(name)}`)
        }),
      ),
    )
    return name
  })

/** Opens a copy of a database that is filled once for all test files, from `base` on. Copying takes a tenth of a second. */
export const copyOfFilled = (...filling: Parameters<typeof filledDatabase>) =>
  Effect.flatMap(filledDatabase(...filling), databaseOf)

export type TestDatabase = Effect.Effect<Redacted.Redacted, unknown, Scope.Scope | Reactivity.Reactivity>

/** URLs of a database and Redis. */
const storesWith = (database: TestDatabase) =>
  Layer.effect(
    Stores,
    Effect.map(Effect.orDie(database), (databaseUrl) => ({
      databaseUrl,
      redisUrl: Redacted.make(inject("redisUrl")),
      embedded: [],
      joined: false,
    })),
  ).pipe(Layer.provide(Reactivity.layer))

const partitions = Layer.effectDiscard(Effect.flatMap(EventLog, (log) => log.maintain(Duration.days(7))))

export const testSecret = "a secret for tests"

/** The foundation of a process on separate stores: the same layers as in production. */
export const testFoundation = (
  flags: Record<string, string> = {},
  more: ReadonlyArray<AnySetting> = [],
  database: TestDatabase = migratedDatabase,
) =>
  Layer.mergeAll(Leases.layer, EventTail.layer, Jobs.layer, Tuning.layer, partitions).pipe(
    Layer.provideMerge(Layer.merge(EventLog.layer, Secrets.layer)),
    Layer.provideMerge(
      Layer.merge(
        Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => Postgres.layer(databaseUrl))),
        Layer.unwrap(Effect.map(Stores, ({ redisUrl }) => Redis.layer(redisUrl))),
      ),
    ),
    Layer.provideMerge(storesWith(database)),
    Layer.provideMerge(Shutdown.layer),
    Layer.provideMerge(Health.layer),
    Layer.provideMerge(
      testConfiguration(
        { "redis.prefix": `t${randomBytes(4).toString("hex")}`, "presage.secret": testSecret, ...flags },
        more,
      ),
    ),
    Layer.provideMerge(Logger.layer([])),
  )
