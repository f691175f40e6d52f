import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { settingsOf } from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { keepAliveLoad } from "#test/support/processes/load.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { figures, scale } from "#test/support/processes/scale.ts"
import { Work, workTables } from "#test/support/processes/work.ts"

const readyWithin = 30_000
const graceMillis = 1_000
/** Past the grace, a handler may clean up and the connections are closed. */
const aLittle = 5_000

describe.concurrent("SIGTERM under load", () => {
  it.live("finishes jobs or hands them back, and uses up no attempt", () =>
    Effect.gen(function* () {
      const { short, long } = scale.drain
      const { sql } = yield* Postgres
      const jobs = yield* Jobs
      const env = {
        ...(yield* sandboxEnvironment),
        SHUTDOWN_GRACE: `${graceMillis}ms`,
        TEST_WORK_CONCURRENCY: String(long + 10),
      }
      const worker = (name: string) => start({ name, file: "test/support/processes/entries/worker.ts", env })
      const payloads = Array.from({ length: long + short }, (_, id) => ({ id, millis: id < long ? 3_000 : 200 }))
      yield* sql`insert into owed ${sql.insert(payloads)}`
      yield* jobs.enqueueAll(Work, payloads)

      const first = yield* worker("first")
      yield* first.waitFor("begin", { within: readyWithin, where: ({ id }) => id >= long + short / 4 })
      const second = yield* worker("second")
      const since = performance.now()
      first.stop()
      assert.equal(yield* first.exit(graceMillis + aLittle), 0, first.log())
      const drained = Math.round(performance.now() - since)

      const began = new Set(first.reports.flatMap((each) => (each.kind === "begin" ? [each.id] : [])))
      const ended = new Set(first.reports.flatMap((each) => (each.kind === "end" ? [each.id] : [])))
      const handedBack = new Set(first.reports.flatMap((each) => (each.kind === "interrupted" ? [each.id] : [])))
      assert.equal(began.size, ended.size + handedBack.size, "a job in flight neither ended nor was handed back")
      for (let id = 0; id < long; id++) assert.ok(handedBack.has(id), `long job ${id} was not handed back`)

      yield* eventually(
        "everything done",
        30_000,
        Effect.map(sql<{ n: number }>`select count(*)::int as n from done`, ([row]) => row?.n === payloads.length),
      )
      assert.equal(yield* Effect.promise(() => jobs.queue(Work).getFailedCount()), 0)
      const elsewhere = yield* sql<{ id: number; pid: number; attempt: number }>`
        select id, pid, attempt from done where id < ${long}`
      assert.ok(
        elsewhere.every(({ pid, attempt }) => pid === second.pid && attempt === 1),
        JSON.stringify(elsewhere),
      )
      figures("SIGTERM with jobs", {
        jobs: payloads.length,
        "finished in grace": ended.size,
        "handed back": handedBack.size,
        "exit after": `${drained} ms (grace ${graceMillis} ms)`,
      })
      // One attempt only: a job that were retried instead of handed back would fail.
    }).pipe(Effect.scoped, Effect.provide(sandbox(workTables, settingsOf(Work), { "test-work.attempts": "1" }))),
  )

  it.live("answers every request of clients that keep their connections", () =>
    Effect.gen(function* () {
      const env = { ...(yield* sandboxEnvironment), ROLE: "api", HOST: "127.0.0.1", PORT: "0" }
      const api = yield* start({ name: "api", file: "src/main.ts", args: ["start"], env })
      const ready = yield* api.waitForLine(/^presage ready/, readyWithin)
      const address = /api http:\/\/localhost:(\d+)/.exec(ready)
      const load = keepAliveLoad(20, `http://127.0.0.1:${address?.[1]}/openapi.json`)
      yield* eventually(
        "a busy server",
        20_000,
        Effect.sync(() => load.answered() > 500),
      )
      const since = performance.now()
      api.stop()
      const failures = yield* Effect.promise(() => load.failures)
      assert.deepEqual(failures, [])
      assert.equal(yield* api.exit(15_000), 0, api.log())
      figures("SIGTERM with requests", {
        clients: 20,
        answered: load.answered(),
        failed: failures.length,
        "exit after": `${Math.round(performance.now() - since)} ms`,
      })
    }).pipe(Effect.scoped, Effect.provide(sandbox([]))),
  )
})
