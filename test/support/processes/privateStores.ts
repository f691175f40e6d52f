import { randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import { initialisedDir } from "#test/platform/embedded/support/sandbox.ts"

/** Stores that only this test uses and may kill, and the environment that points a process to them. */
export const privateStores = Effect.gen(function* () {
  const dir = yield* initialisedDir
  const { postgres, redis } = yield* Effect.all(
    {
      postgres: startPostgres({ dir, supervise: false, durable: false }),
      redis: startRedis({ dir, supervise: false }),
    },
    { concurrency: 2 },
  )
  const prefix = `t${randomBytes(4).toString("hex")}`
  const env = {
    DATABASE_URL: Redacted.value(postgres.url),
    REDIS_URL: Redacted.value(redis.url),
    REDIS_PREFIX: prefix,
    LOG_FORMAT: "pretty",
  }
  return { postgres, redis, prefix, env }
})
