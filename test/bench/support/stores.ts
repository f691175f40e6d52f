import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"

/** A directory that is removed at the end of the scope. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "presage-bench-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true })),
)

/** Settings that point a process of ours to its stores. */
export const environmentOf = (databaseUrl: string, redisUrl: string): Readonly<Record<string, string>> => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  REDIS_PREFIX: "bench",
  LOG_LEVEL: "warn",
  PRESAGE_SECRET: "a secret for benches",
})

/** A fresh Postgres and Redis, set up as in production. */
export class BenchStores extends Context.Service<
  BenchStores,
  {
    readonly databaseUrl: string
    readonly redisUrl: string
    /** Settings that point a process of ours to them. */
    readonly environment: Readonly<Record<string, string>>
  }
>()("presage/bench/Stores") {
  static readonly layer = Layer.effect(
    BenchStores,
    Effect.gen(function* () {
      const dir = yield* temporaryDirectory
      const servers = { postgres: startPostgres({ dir }), redis: startRedis({ dir }) }
      const { postgres, redis } = yield* Effect.all(servers, { concurrency: 2 })
      const databaseUrl = Redacted.value(postgres.url)
      const redisUrl = Redacted.value(redis.url)
      return BenchStores.of({ databaseUrl, redisUrl, environment: environmentOf(databaseUrl, redisUrl) })
    }),
  )
}

/** Gives a bench its stores, which stay until its processes are gone. */
export const withStores = <A, E>(bench: Effect.Effect<A, E, Scope.Scope | BenchStores>) =>
  bench.pipe(Effect.scoped, Effect.provide(BenchStores.layer))
