import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"

/** Runs a Postgres and a Redis for the tests until standard input closes; prints their addresses. */
const dir = mkdtempSync(join(tmpdir(), "presage-test-"))

const untilStdinCloses = Effect.callback<void>((resume) => {
  process.stdin.resume().once("end", () => resume(Effect.void))
})

const serve = Effect.gen(function* () {
  const servers = { postgres: startPostgres({ dir, durable: false }), redis: startRedis({ dir }) }
  const { postgres, redis } = yield* Effect.all(servers, { concurrency: 2 })
  const urls = { databaseUrl: Redacted.value(postgres.url), redisUrl: Redacted.value(redis.url) }
  process.stdout.write(`${JSON.stringify(urls)}\n`)
  yield* untilStdinCloses
})

Effect.runPromise(Effect.scoped(serve)).finally(() => rmSync(dir, { recursive: true, force: true }))
