import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { migrations } from "#migrations/index.ts"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { administrate } from "./administrate.ts"

/** Runs a Postgres and a Redis for the tests until standard input closes; prints their addresses. */
const dir = mkdtempSync(join(tmpdir(), "presage-test-"))

const untilStdinCloses = Effect.callback<void>((resume) => {
  process.stdin.resume().once("end", () => resume(Effect.void))
})

/** What a service has made of an empty directory at its first start; tests that need private servers work on copies. */
const initialised = join(dir, "initialised")
const initialise = Effect.scoped(
  Effect.flatMap(startPostgres({ dir: initialised, durable: false }), ({ url }) => migrate(url, migrations)),
)

const ownPostgres = Effect.gen(function* () {
  const own = join(dir, "own")
  yield* Effect.sync(() => execFileSync("cp", ["-a", initialised, own]))
  const { url } = yield* startPostgres({ dir: own, durable: false, config: { max_connections: "500" } })
  return Redacted.value(url)
})

/** Uses a given server instead, to test against other versions. */
const databaseUrl = Effect.suspend(() =>
  process.env.DATABASE_URL === undefined ? ownPostgres : Effect.succeed(process.env.DATABASE_URL),
)
const redisUrl = Effect.suspend(() =>
  process.env.REDIS_URL === undefined
    ? Effect.map(startRedis({ dir }), ({ url }) => Redacted.value(url))
    : Effect.succeed(process.env.REDIS_URL),
)

/** Migrations take a second or two, copying a migrated database a tenth of a second. */
const migratedDatabase = Effect.fnUntraced(function* (server: string) {
  const name = `migrated_${randomBytes(6).toString("hex")}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const admin = administrate(server)
  yield* Effect.acquireRelease(
    admin((sql) => sql`create database ${sql(name)}`),
    // With those that tests have filled.
    () =>
      Effect.orDie(
        admin((sql) =>
          Effect.flatMap(
            sql<{ datname: string }>`select datname from pg_database where starts_with(datname, ${name})`,
            (found) => Effect.forEach(found, ({ datname }) => sql`drop database ${sql(datname)} with (force)`),
          ),
        ),
      ),
  )
  yield* migrate(Redacted.make(url.href), migrations)
  return name
})

const serve = Effect.gen(function* () {
  yield* initialise
  const urls = yield* Effect.all({ databaseUrl, redisUrl }, { concurrency: 2 })
  const migrated = yield* migratedDatabase(urls.databaseUrl)
  process.stdout.write(`${JSON.stringify({ ...urls, migrated, initialised })}\n`)
  yield* untilStdinCloses
})

Effect.runPromise(Effect.scoped(serve).pipe(Effect.provide(Reactivity.layer))).finally(() =>
  rmSync(dir, { recursive: true, force: true }),
)
