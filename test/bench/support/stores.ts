import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"

/** A directory that is removed when the scope closes. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "presage-bench-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true })),
)

/** Settings that connect a process of ours to its stores. */
export const environmentOf = (databaseUrl: string, redisUrl: string): Readonly<Record<string, string>> => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  REDIS_PREFIX: "bench",
  LOG_LEVEL: "warn",
  PRESAGE_SECRET: "a secret for benches",
})

/** A fresh Postgres and Redis, configured as in production. */
export class BenchStores extends Context.Service<
  BenchStores,
  {
    readonly databaseUrl: string
    readonly redisUrl: string
    /** Settings that connect a process of ours to them. */
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

/** Provides a bench with stores, which outlive its processes. */
export const withStores = <A, E>(bench: Effect.Effect<A, E, Scope.Scope | BenchStores>) =>
  bench.pipe(Effect.scoped, Effect.provide(BenchStores.layer))
