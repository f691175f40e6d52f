import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { settingsOf } from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { figures, scale, seed } from "#test/support/processes/scale.ts"
import { Work, workTables } from "#test/support/processes/work.ts"

const readyWithin = 30_000

/** Jobs that a worker was running when it was killed. */
const inFlight = ({ reports }: Process) => {
  const open = new Set<number>()
  for (const each of reports) {
    if (each.kind === "begin") open.add(each.id)
    if (each.kind === "end") open.delete(each.id)
  }
  return open
}

interface Death {
  readonly worker: Process
  readonly at: number
}

/** Time from a worker's death until another worker had completed each of its jobs. */
const recoveries = (deaths: ReadonlyArray<Death>, workers: ReadonlyArray<Process>) =>
  deaths.flatMap(({ worker, at }) =>
    [...inFlight(worker)].map((id) => {
      const ends = workers.flatMap(({ reports }) =>
        reports.flatMap((each) => (each.kind === "end" && each.id === id && each.at >= at ? [each.at - at] : [])),
      )
      return Math.min(...ends)
    }),
  )

/** Past the grace, a handler may clean up and the connections are closed. */
const graceMillis = 1_000
const marginMillis = 5_000

describe.concurrent("jobs", () => {
  it.live("of killed workers are done by other workers, each exactly once", () =>
    Effect.gen(function* () {
      const { workers: initially, count, kills } = scale.jobs
      const { sql } = yield* Postgres
      const jobs = yield* Jobs
      const env = yield* sandboxEnvironment
      const workers: Array<Process> = []
      const deaths: Array<Death> = []
      const startWorker = Effect.gen(function* () {
        const worker = yield* start({
          name: `worker ${workers.length}`,
          file: "test/support/processes/entries/worker.ts",
          env,
        })
        workers.push(worker)
        return worker
      })
      const doneCount = Effect.map(sql<{ n: number }>`select count(*)::int as n from done`, ([row]) => row?.n ?? 0)
      const isUp = (worker: Process) =>
        !deaths.some((death) => death.worker === worker) && worker.reports.some(({ kind }) => kind === "ready")

      for (let place = 0; place < initially; place++) yield* startWorker
      for (const worker of workers) yield* worker.waitFor("ready", { within: readyWithin })

      const since = performance.now()
      const payloads = yield* Effect.forEach(Array.from({ length: count }), (_, id) =>
        Effect.map(Random.nextIntBetween(30, 150), (millis) => ({ id, millis })),
      )
      yield* sql`insert into owed ${sql.insert(payloads)}`
      yield* jobs.enqueueAll(Work, payloads)

      for (let kill = 1; kill <= kills; kill++) {
        const reached = Math.floor((count * kill) / (kills + 1))
        yield* eventually(
          `${reached} jobs done`,
          60_000,
          Effect.map(doneCount, (n) => n >= reached),
        )
        yield* eventually(
          "a worker to kill",
          30_000,
          Effect.sync(() => workers.some(isUp)),
        )
        const victim = yield* Random.choice(workers.filter(isUp) as [Process, ...Array<Process>])
        victim.kill()
        deaths.push({ worker: victim, at: Date.now() })
        yield* startWorker
      }
      yield* eventually(
        "every due job is done",
        60_000,
        Effect.map(doneCount, (n) => n === count),
      )
      yield* eventually(
        "an empty queue",
        30_000,
        Effect.map(
          Effect.promise(() => jobs.queue(Work).getJobCounts("wait", "active", "delayed")),
          (counts) => Object.values(counts).every((n) => n === 0),
        ),
      )
      const took = Math.round(performance.now() - since)

      const [rows] = yield* sql<{ lost: number; mismatched: number }>`
        select (select count(*)::int from owed where done_at is null) as lost,
               (select count(*)::int from done full join owed using (id) where owed.millis is null or done.pid is null) as mismatched`
      assert.deepEqual(rows, { lost: 0, mismatched: 0 })
      const ends = workers.flatMap(({ reports }) => reports.filter((each) => each.kind === "end"))
      assert.ok(
        ends.filter(({ inserted }) => inserted).length <= count,
        "a row was reported as new more often than there are rows",
      )
      assert.equal(yield* Effect.promise(() => jobs.queue(Work).getFailedCount()), 0)
      for (const { worker } of deaths) assert.equal(yield* worker.exit(1_000), 137)

      const times = recoveries(deaths, workers)
      assert.ok(times.every(Number.isFinite), "a job of a killed worker was never run to its end again")
      figures(`kill -9 of workers (seed ${seed})`, {
        jobs: count,
        kills: deaths.length,
        recovered: times.length,
        "duplicates suppressed": ends.filter(({ inserted }) => !inserted).length,
        "longest recovery": `${Math.max(0, ...times)} ms`,
        total: `${took} ms`,
      })
    }).pipe(Effect.scoped, Random.withSeed(seed), Effect.provide(sandbox(workTables, settingsOf(Work)))),
  )

  it.live("of a worker that gets SIGTERM are finished or returned, and use up no attempt", () =>
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
      const payloads = Array.from({ length: long + short }, (_, id) => ({ id, millis: id < long ? 15_000 : 200 }))
      yield* sql`insert into owed ${sql.insert(payloads)}`
      yield* jobs.enqueueAll(Work, payloads)

      const first = yield* worker("first")
      // Some short jobs are done; the long ones, 15 s each, are still running.
      yield* first.waitFor("begin", { within: readyWithin, where: ({ id }) => id >= long + 15 })
      const second = yield* worker("second")
      const since = performance.now()
      first.stop()
      assert.equal(yield* first.exit(graceMillis + marginMillis), 0, first.log())
      const drained = Math.round(performance.now() - since)

      const started = new Set(first.reports.flatMap((each) => (each.kind === "begin" ? [each.id] : [])))
      const ended = new Set(first.reports.flatMap((each) => (each.kind === "end" ? [each.id] : [])))
      const returned = new Set(first.reports.flatMap((each) => (each.kind === "interrupted" ? [each.id] : [])))
      assert.equal(started.size, ended.size + returned.size, "a started job neither ended nor was returned")
      for (let id = 0; id < long; id++) assert.ok(returned.has(id), `long job ${id} was not returned`)

      yield* eventually(
        "everything done",
        30_000,
        Effect.map(sql<{ n: number }>`select count(*)::int as n from done`, ([row]) => row?.n === payloads.length),
      )
      assert.equal(yield* Effect.promise(() => jobs.queue(Work).getFailedCount()), 0)
      const doneBySecond = yield* sql<{ id: number; pid: number; attempt: number }>`
        select id, pid, attempt from done where id < ${long}`
      assert.ok(
        doneBySecond.every(({ pid, attempt }) => pid === second.pid && attempt === 1),
        JSON.stringify(doneBySecond),
      )
      figures("SIGTERM with jobs", {
        jobs: payloads.length,
        "finished in grace": ended.size,
        returned: returned.size,
        "exit after": `${drained} ms (grace ${graceMillis} ms)`,
      })
      // One attempt only: a job that is retried instead of returned would fail.
    }).pipe(Effect.scoped, Effect.provide(sandbox(workTables, settingsOf(Work), { "test-work.attempts": "1" }))),
  )
})
