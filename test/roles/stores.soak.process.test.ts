import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import type { HealthReport } from "#src/platform/telemetry/Health.ts"
import { initialisedDir, query, redisCall } from "#test/platform/embedded/support/sandbox.ts"
import { ledgerTables } from "#test/support/processes/ledger.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { figures, scale } from "#test/support/processes/scale.ts"
import { tickTables } from "#test/support/processes/ticks.ts"
import { workTables } from "#test/support/processes/work.ts"

const readyWithin = 60_000
/** The guarantee: after any failure of a store, every duty runs again within this time. */
const recoveryWithin = 30_000
/** Every look opens a connection. */
const pollMillis = 200

const duties = ["test-every-1000", "test-every-2000", "test-every-3000"]

const readiness = (port: string) =>
  Effect.promise(async (): Promise<HealthReport | undefined> => {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(3_000) })
      const report = (await answer.json()) as HealthReport
      assert.equal(answer.status, report.status === "ready" ? 200 : 503)
      return report
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return undefined
    }
  })

/** Nothing follows catalogue and chain or counts figures here, so they are never complete. */
const neverComplete = ["catalogue", "ledger", "market_stats"]
const isReady = (report: HealthReport | undefined) =>
  report !== undefined &&
  Object.entries(report.dependencies).every(([name, { state }]) => neverComplete.includes(name) || state === "up")

/** Three processes as in production, on private stores that the test can break. */
const startService = Effect.gen(function* () {
  const dir = yield* initialisedDir
  const { postgres, redis } = yield* Effect.all(
    { postgres: startPostgres({ dir, supervise: false }), redis: startRedis({ dir, supervise: false }) },
    { concurrency: 2 },
  )
  for (const table of [...workTables, ...tickTables, ...ledgerTables]) yield* query(postgres.url, table)
  const env = {
    DATABASE_URL: Redacted.value(postgres.url),
    REDIS_URL: Redacted.value(redis.url),
    REDIS_PREFIX: `t${randomBytes(4).toString("hex")}`,
    LOG_FORMAT: "pretty",
    // What is frozen is noticed as soon as in production.
    REDIS_COMMAND_TIMEOUT: "1s",
    SWEEP_EVERY: "1s",
    TEST_WORK_BACKOFF: "500ms",
  }
  const part = (name: string) =>
    start({ name, file: "test/support/processes/entries/service.ts", env: { ...env, PART: name } })
  const worker = yield* part("worker")
  const scheduler = yield* part("scheduler")
  const api = yield* start({
    name: "api",
    file: "src/main.ts",
    args: ["start"],
    env: { ...env, ROLE: "api", HOST: "127.0.0.1", PORT: "0" },
  })
  for (const each of [worker, scheduler]) yield* each.waitFor("ready", { within: readyWithin })
  const line = yield* api.waitForLine(/^presage ready/, readyWithin)
  const port = /api http:\/\/localhost:(\d+)/.exec(line)?.[1] ?? ""
  return { postgres, redis, worker, scheduler, api, port }
})

const ticked = (worker: Process, since: number) => {
  const seen = new Set(worker.reports.flatMap((each) => (each.kind === "tick" && each.at > since ? [each.duty] : [])))
  return duties.every((duty) => seen.has(duty))
}

describe("a service whose stores fail", () => {
  it.live("loses no work, keeps its processes running, reports it, and recovers", () =>
    Effect.gen(function* () {
      const { redisDownMillis, redisFrozenMillis, postgresDownMillis } = scale.faults
      const { postgres, redis, worker, scheduler, api, port } = yield* startService
      const recoveries: Record<string, string> = {}

      const recovered = (fault: string) =>
        Effect.gen(function* () {
          const since = Date.now()
          const took = yield* eventually(
            `recovery from ${fault}`,
            recoveryWithin,
            Effect.sync(() => ticked(worker, since)),
          )
          yield* eventually(`ready after ${fault}`, recoveryWithin, Effect.map(readiness(port), isReady), pollMillis)
          yield* eventually(
            `the actor writes after ${fault}`,
            recoveryWithin,
            Effect.map(
              query(postgres.url, `select 1 from ledger where at > to_timestamp(${since} / 1000.0) limit 1`),
              (rows) => rows.length === 1,
            ),
            pollMillis,
          )
          recoveries[fault] = `${took} ms`
          for (const each of [worker, scheduler, api]) assert.ok(!each.hasExited(), `${each.name} died of ${fault}`)
        })
      const saysDown = (store: "postgres" | "redis", fault: string) =>
        eventually(
          `not ready because of ${store} (${fault})`,
          10_000,
          Effect.map(readiness(port), (report) => {
            if (report?.status !== "not ready") return false
            const down = Object.keys(report.dependencies).filter((name) => report.dependencies[name]?.state === "down")
            const innocent = store === "redis" ? "postgres" : "redis"
            assert.ok(!down.includes(innocent), `${innocent} is blamed for ${fault}`)
            return down.includes(store)
          }),
          pollMillis,
        )

      yield* recovered("the start")

      yield* redis.kill
      yield* saysDown("redis", "kill -9 of Redis")
      // The worker's sweep finds no work before: its first use of the queue is during the outage.
      yield* eventually(
        "the sweep notices",
        15_000,
        Effect.sync(() => worker.log().includes("sweep of test-work failed: Redis")),
      )
      yield* pause(redisDownMillis)
      yield* redis.start
      yield* recovered("kill -9 of Redis")

      yield* redisCall(redis.url, "FLUSHALL")
      yield* recovered("a wiped Redis")

      yield* redisCall(redis.url, "CONFIG", "SET", "maxmemory", "1")
      yield* saysDown("redis", "a full Redis")
      yield* redisCall(redis.url, "CONFIG", "SET", "maxmemory", "0")
      yield* recovered("a full Redis")

      yield* redis.signal("SIGSTOP")
      yield* saysDown("redis", "a frozen Redis")
      yield* pause(redisFrozenMillis)
      yield* redis.signal("SIGCONT")
      yield* recovered("a frozen Redis")

      yield* postgres.stop
      yield* saysDown("postgres", "a restart of Postgres")
      yield* pause(postgresDownMillis)
      yield* postgres.start
      yield* recovered("a restart of Postgres")

      yield* postgres.kill
      yield* saysDown("postgres", "kill -9 of Postgres")
      yield* pause(postgresDownMillis)
      yield* postgres.start
      yield* recovered("kill -9 of Postgres")

      scheduler.say("enough")
      const drained = yield* eventually(
        "all pending work done",
        recoveryWithin,
        Effect.map(
          query(postgres.url, "select 1 from owed where done_at is null limit 1"),
          (rows) => rows.length === 0,
        ),
        pollMillis,
      )
      const promised = scheduler.reports.flatMap((each) => (each.kind === "owed" ? [each.id] : []))
      const done = new Set((yield* query(postgres.url, "select id from done")).map(({ id }) => id))
      assert.deepEqual(
        promised.filter((id) => !done.has(id)),
        [],
        "work was lost after its row was committed",
      )
      figures("recovery from", { ...recoveries, "jobs owed": promised.length, "last of them after": `${drained} ms` })
    }),
  )
})
