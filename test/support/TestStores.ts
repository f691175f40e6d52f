import { randomBytes } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Logger, Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { inject } from "vitest"
import { migrations } from "#migrations/index.ts"
import { Secrets } from "#src/keys/Secrets.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { Health } from "#src/platform/Health.ts"
import { migrate } from "#src/platform/migrate.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { Redis } from "#src/platform/Redis.ts"
import type { AnySetting } from "#src/platform/Setting.ts"
import { Shutdown } from "#src/platform/Shutdown.ts"
import { Stores } from "#src/roles/Foundation.ts"
import { allSettings } from "#src/roles/settings.ts"
import { Tuning } from "#src/tuning/Tuning.ts"

/** A fresh database on the shared server, dropped at the end. */
export const freshDatabase = Effect.gen(function* () {
  const name = `t_${randomBytes(6).toString("hex")}`
  const url = new URL(inject("databaseUrl"))
  const server = Redacted.make(url.href)
  // A client each: a pool whose own scope is closing hangs when it has to open a connection.
  const admin = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
    Effect.scoped(Effect.flatMap(PgClient.make({ url: server, maxConnections: 1 }), use))
  yield* Effect.acquireRelease(
    admin((sql) => sql`create database ${sql(name)}`),
    () => Effect.orDie(admin((sql) => sql`drop database ${sql(name)} with (force)`)),
  )
  url.pathname = `/${name}`
  return Redacted.make(url.href)
})

export const testConfiguration = (flags: Record<string, string> = {}, more: ReadonlyArray<AnySetting> = []) =>
  Configuration.layer({ declared: [...allSettings, ...more], file: { path: "none", values: {} }, env: {}, flags })

/** Addresses of a migrated database and an unused key prefix. */
const freshStores = Layer.effect(
  Stores,
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    yield* migrate(databaseUrl, migrations)
    return { databaseUrl, redisUrl: Redacted.make(inject("redisUrl")), embedded: [], joined: false }
  }),
).pipe(Layer.provide(Reactivity.layer))

const partitions = Layer.effectDiscard(Effect.flatMap(EventLog, (log) => log.maintain(Duration.days(7))))

export const testSecret = "a secret for tests"

/** The foundation of a process, on stores of its own: the same layers as in production. */
export const testFoundation = (flags: Record<string, string> = {}, more: ReadonlyArray<AnySetting> = []) =>
  Layer.mergeAll(Leases.layer, EventTail.layer, Jobs.layer, Tuning.layer, partitions).pipe(
    Layer.provideMerge(Layer.merge(EventLog.layer, Secrets.layer)),
    Layer.provideMerge(
      Layer.merge(
        Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => Postgres.layer(databaseUrl))),
        Layer.unwrap(Effect.map(Stores, ({ redisUrl }) => Redis.layer(redisUrl))),
      ),
    ),
    Layer.provideMerge(freshStores),
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
