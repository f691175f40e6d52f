import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Processes } from "#src/processes/Processes.ts"
import { processReporter } from "#src/processes/processReporter.ts"
import { samplesKept } from "#src/processes/reports.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const world = Layer.provideMerge(Processes.layer, testFoundation())

layer(world, { excludeTestServices: true })("Processes", (it) => {
  it.effect("report until they end, and keep an hour of samples at most", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      const redis = yield* Redis
      const key = keys(redis.prefix)
      const own = yield* Effect.gen(function* () {
        yield* eventually(
          "several samples",
          Effect.map(processes.samples(0), (all) => all.length > 2),
        )
        yield* Metric.update(
          Metric.counter("presage_jobs_total", { incremental: true, attributes: { queue: "q", outcome: "done" } }),
          3,
        )
        yield* eventually(
          "the growth is sampled once",
          Effect.map(processes.samples(0), (all) => all.some(({ counts }) => counts["jobs.q.done"] === 3)),
        )
        const [first] = yield* processes.list
        const stream = key.processSamples(first?.id ?? "")
        yield* redis.run((client) =>
          Promise.all(Array.from({ length: samplesKept }, () => client.xadd(stream, "*", "s", "{}"))),
        )
        yield* eventually(
          "old samples are dropped",
          redis.run(async (client) => (await client.xlen(stream)) <= samplesKept),
        )
        assert.isAbove(yield* redis.run((client) => client.ttl(stream)), 3000)
        return first
      }).pipe(Effect.provide(processReporter("50 millis")))
      assert.strictEqual(own?.pid, process.pid)
      assert.isFalse(own?.isSilent)
      assert.deepStrictEqual(yield* processes.list, [])
      assert.deepStrictEqual(yield* processes.samples(0), [])
    }),
  )

  it.effect("that died are shown as silent for an hour, then forgotten", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      const redis = yield* Redis
      const { processes: key } = keys(redis.prefix)
      const [seconds] = yield* redis.run((client) => client.time())
      const now = Number(seconds) * 1000
      const report = (pid: number, at: number) => ({
        host: "gone",
        pid,
        roles: ["worker"],
        version: "1.0.0",
        node: "v22",
        startedAt: 0,
        at,
        sample: { seconds: 10, rss: 1, heap: 1, lag: 0, cpu: 0, counts: {} },
        actors: {},
        restarts: {},
        errors: {},
      })
      const store = (field: string, text: string) => redis.run((client) => client.hset(key, field, text))
      yield* store("gone:1", JSON.stringify(report(1, now - 120_000)))
      yield* store("gone:2", JSON.stringify(report(2, now - 2 * 3_600_000)))
      yield* store("unreadable", "{")
      const found = yield* processes.list
      assert.deepStrictEqual(
        found.map(({ id, isSilent }) => [id, isSilent]),
        [["gone:1", true]],
      )
      assert.deepStrictEqual(yield* redis.run((client) => client.hkeys(key)), ["gone:1"])
    }),
  )
})
