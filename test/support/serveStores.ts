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

/** A server of one's own is used instead, to test against other versions. */
const databaseUrl = Effect.suspend(() =>
  process.env.DATABASE_URL === undefined
    ? Effect.map(startPostgres({ dir, durable: false }), ({ url }) => Redacted.value(url))
    : Effect.succeed(process.env.DATABASE_URL),
)
const redisUrl = Effect.suspend(() =>
  process.env.REDIS_URL === undefined
    ? Effect.map(startRedis({ dir }), ({ url }) => Redacted.value(url))
    : Effect.succeed(process.env.REDIS_URL),
)

const serve = Effect.gen(function* () {
  const urls = yield* Effect.all({ databaseUrl, redisUrl }, { concurrency: 2 })
  process.stdout.write(`${JSON.stringify(urls)}\n`)
  yield* untilStdinCloses
})

Effect.runPromise(Effect.scoped(serve)).finally(() => rmSync(dir, { recursive: true, force: true }))
