import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Duration, Effect, Layer, Logger, Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { migrations } from "#migrations/index.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { database } from "#src/platform/embedded/postgresData.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { allSettings } from "#src/roles/settings.ts"
import { administrate } from "./administrate.ts"

const gigabyte = 1 << 30

/** In memory if there is plenty: databases are made and deleted there in a quarter of the processor time. */
const fastestDir = () => {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm")
    if (bavail * bsize > 4 * gigabyte && process.availableMemory() > 8 * gigabyte) return "/dev/shm"
  } catch {}
  return tmpdir()
}

/** Runs a Postgres and a Redis for the tests until standard input closes; prints their addresses. */
const dir = mkdtempSync(join(process.env.TMPDIR ?? fastestDir(), "presage-test-"))

const untilStdinCloses = Effect.callback<void>((resume) => {
  process.stdin.resume().once("end", () => resume(Effect.void))
})

/** Makes today's partitions, which every test would otherwise make for itself. */
const partitions = (url: Redacted.Redacted) =>
  Effect.flatMap(EventLog, (log) => log.maintain(Duration.days(7))).pipe(
    Effect.provide(
      EventLog.layer.pipe(
        Layer.provide(Postgres.layer(url)),
        Layer.provide(Health.layer),
        Layer.provide(
          Configuration.layer({ declared: allSettings, file: { path: "none", values: {} }, env: {}, flags: {} }),
        ),
        Layer.provide(Logger.layer([])),
      ),
    ),
  )

const prepare = (url: Redacted.Redacted) => Effect.andThen(migrate(url, migrations), partitions(url))

/** What a service has made of an empty directory at its first start; tests that need private servers work on copies. */
const initialised = join(dir, "initialised")
const initialise = Effect.scoped(
  Effect.flatMap(startPostgres({ dir: initialised, durable: false }), ({ url }) => prepare(url)),
)

const newName = () => `migrated_${randomBytes(6).toString("hex")}`

const ownPostgres = Effect.gen(function* () {
  const own = join(dir, "own")
  yield* Effect.sync(() => execFileSync("cp", ["-a", initialised, own]))
  const { url } = yield* startPostgres({
    dir: own,
    durable: false,
    // Nothing here must survive a crash; little log is kept, as it may be in memory.
    config: { max_connections: "500", synchronous_commit: "off", max_wal_size: "256MB", autovacuum_naptime: "10min" },
  })
  const databaseUrl = Redacted.value(url)
  const migrated = newName()
  // Not over a connection to the database that is copied.
  const admin = administrate(Object.assign(new URL(databaseUrl), { pathname: "/postgres" }).href)
  yield* admin((sql) => sql`create database ${sql(migrated)} template ${sql(database)}`)
  return { databaseUrl, migrated }
})

/** Uses a given server instead, to test against other versions. */
const givenPostgres = Effect.fnUntraced(function* (databaseUrl: string) {
  const migrated = newName()
  const url = new URL(databaseUrl)
  url.pathname = `/${migrated}`
  const admin = administrate(databaseUrl)
  yield* Effect.acquireRelease(
    admin((sql) => sql`create database ${sql(migrated)}`),
    // With those that tests have filled.
    () =>
      Effect.orDie(
        admin((sql) =>
          Effect.flatMap(
            sql<{ datname: string }>`select datname from pg_database where starts_with(datname, ${migrated})`,
            (found) => Effect.forEach(found, ({ datname }) => sql`drop database ${sql(datname)} with (force)`),
          ),
        ),
      ),
  )
  yield* prepare(Redacted.make(url.href))
  return { databaseUrl, migrated }
})

const postgres = Effect.gen(function* () {
  const given = process.env.DATABASE_URL
  return given === undefined ? yield* ownPostgres : yield* givenPostgres(given)
})
const redisUrl = Effect.suspend(() =>
  process.env.REDIS_URL === undefined
    ? Effect.map(startRedis({ dir }), ({ url }) => Redacted.value(url))
    : Effect.succeed(process.env.REDIS_URL),
)

const serve = Effect.gen(function* () {
  yield* initialise
  const started = yield* Effect.all({ postgres, redisUrl }, { concurrency: 2 })
  process.stdout.write(`${JSON.stringify({ ...started.postgres, redisUrl: started.redisUrl, dir, initialised })}\n`)
  yield* untilStdinCloses
})

Effect.runPromise(Effect.scoped(serve).pipe(Effect.provide(Reactivity.layer))).finally(() =>
  rmSync(dir, { recursive: true, force: true }),
)
