import { assert, layer } from "@effect/vitest"
import { Worker } from "bullmq"
import { Effect } from "effect"
import { Jobs } from "#src/mesh/Jobs.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { operatorServer, ops } from "./support.ts"

const queue = "webhooks-seed"

/** Puts a job into the queue and lets it fail. */
const failingJob = Effect.gen(function* () {
  const jobs = yield* Jobs
  const redis = yield* Redis
  const job = yield* Effect.promise(() => jobs.queue({ name: queue }).add(queue, { wallet: "0x1" }, { attempts: 1 }))
  const worker = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Worker(queue, () => Promise.reject(new Error("the endpoint is gone")), {
          connection: redis.workers,
          prefix: keys(redis.prefix).jobs,
        }),
    ),
    (each) => Effect.promise(() => each.close()),
  )
  worker.on("error", () => undefined)
  yield* eventually(
    "the job failed",
    Effect.promise(async () => (await jobs.queue({ name: queue }).getJob(job.id ?? ""))?.isFailed() ?? false),
  )
  return job.id ?? ""
}).pipe(Effect.scoped)

const failedCount = Effect.map(
  ops("/jobs"),
  ({ json }) => json.queues.find((each: { queue: string }) => each.queue === queue).failed as number,
)

const lines = Effect.map(ops("/audit"), ({ json }) => json.lines as ReadonlyArray<Record<string, string>>)

layer(operatorServer(), { excludeTestServices: true })("Failed jobs", (it) => {
  it.effect("are listed with their reason, retried once, and dropped; each with a line in the audit", () =>
    Effect.gen(function* () {
      const id = yield* failingJob
      assert.strictEqual(yield* failedCount, 1)
      const listed = yield* ops(`/jobs/${queue}/failed`)
      assert.strictEqual(listed.json.total, 1)
      assert.deepInclude(listed.json.jobs[0], { id, reason: "the endpoint is gone", payload: '{"wallet":"0x1"}' })

      const retried = yield* ops(`/jobs/${queue}/failed/${id}/retry`, { method: "POST" })
      assert.strictEqual(retried.status, 200, retried.text)
      assert.strictEqual(yield* failedCount, 0)
      const again = yield* ops(`/jobs/${queue}/failed/${id}/retry`, { method: "POST" })
      assert.strictEqual(again.status, 404)

      const other = yield* failingJob
      const dropped = yield* ops(`/jobs/${queue}/failed/${other}`, { method: "DELETE" })
      assert.strictEqual(dropped.status, 200, dropped.text)

      const audit = yield* lines
      assert.deepInclude(
        audit.find(({ action }) => action === "drop job"),
        { by: "console on this machine", subject: `${queue} ${other}`, outcome: "done" },
      )
      const [failedLine] = audit.filter(({ action, subject }) => action === "retry job" && subject === `${queue} ${id}`)
      assert.match(failedLine?.["outcome"] ?? "", /^failed/)
    }),
  )

  it.effect("of a queue are retried or dropped together", () =>
    Effect.gen(function* () {
      yield* ops(`/jobs/${queue}/failed`, { method: "DELETE" })
      yield* failingJob
      yield* failingJob
      const retried = yield* ops(`/jobs/${queue}/retry`, { method: "POST" })
      assert.deepStrictEqual(retried.json, { jobs: 2 })
      assert.strictEqual(yield* failedCount, 0)
      yield* failingJob
      const before = yield* failedCount
      const dropped = yield* ops(`/jobs/${queue}/failed`, { method: "DELETE" })
      assert.deepStrictEqual(dropped.json, { jobs: before })
      assert.strictEqual(yield* failedCount, 0)
    }),
  )

  it.effect("of an unknown queue are 404, and bad pages 400", () =>
    Effect.gen(function* () {
      const unknown = yield* ops("/jobs/no-such/failed")
      assert.strictEqual(unknown.status, 404)
      assert.include(unknown.json.hint, "/ops/v1/jobs")
      assert.strictEqual((yield* ops("/jobs/no-such/retry", { method: "POST" })).status, 404)
      assert.strictEqual((yield* ops(`/jobs/${queue}/failed?limit=0`)).status, 400)
      assert.strictEqual((yield* ops(`/jobs/${queue}/failed?offset=-1`)).status, 400)
      assert.strictEqual((yield* ops(`/jobs/${queue}/failed?what=1`)).status, 400)
    }),
  )
})
