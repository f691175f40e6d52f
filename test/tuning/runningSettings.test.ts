import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { describeProcesses, makePublishSettings, rowsOf, runningProcesses } from "#src/tuning/runningSettings.ts"
import { testFoundation } from "#test/support/TestStores.ts"

layer(testFoundation(), { excludeTestServices: true })("Settings of running processes", (it) => {
  it.effect("are published until a process ends, and forgotten when it died", () =>
    Effect.gen(function* () {
      const redis = yield* Redis
      const { settings: key } = keys(redis.prefix)
      const store = (field: string, text: string) => redis.run((client) => client.hset(key, field, text))
      yield* store("dead", JSON.stringify({ host: "a", pid: 1, at: 5, settings: {} }))
      yield* store("unreadable", "{")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* yield* makePublishSettings
          const [own, ...others] = yield* runningProcesses
          assert.isEmpty(others)
          assert.strictEqual(own?.pid, process.pid)
          const { rows } = yield* Configuration
          assert.deepStrictEqual(own && rowsOf(rows(), own), rows())
        }),
      )
      assert.isEmpty(yield* runningProcesses)
      assert.deepStrictEqual(yield* redis.run((client) => client.hkeys(key)), [])
    }),
  )

  it.effect("of several processes, the differences are named", () =>
    Effect.gen(function* () {
      const processOf = (pid: number, port: string) => ({
        host: "here",
        pid,
        at: 0,
        settings: { port: { value: port, source: "environment" as const } },
      })
      assert.deepStrictEqual(describeProcesses([processOf(1, "80"), processOf(2, "81"), processOf(3, "80")]), [
        "settings of the running instance, process 1 on here",
        "process 2 on here differs in: port 81",
        "process 3 on here has the same",
      ])
      const { rows } = yield* Configuration
      const shown = rowsOf(rows(), processOf(1, "80"))
      assert.deepInclude(
        shown.find(({ name }) => name === "port"),
        { value: "80", source: "environment", default: "8080" },
      )
    }),
  )
})
