import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option, Redacted } from "effect"
import fc from "fast-check"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as Setting from "#src/platform/config/Setting.ts"

const port = Setting.port("port", { default: 8080, doc: "port" })
const wait = Setting.duration("job.wait", {
  default: "5 seconds",
  min: "1 second",
  max: "1 hour",
  live: true,
  doc: "wait",
})
const roles = Setting.someOf("role", ["api", "worker"], { default: ["api"], doc: "roles" })
const database = Setting.secretUrl("database.url", { protocols: ["postgres"], doc: "database" })
const delays = Setting.delays("job.backoff", { default: ["1 second"], live: true, doc: "delays" })
const declared = [port, wait, roles, database, delays]

const load = (given: {
  file?: Record<string, unknown>
  env?: Record<string, string>
  flags?: Record<string, string>
}) =>
  Effect.provide(
    Effect.map(Configuration, (config) => config),
    Configuration.layer({
      declared,
      file: { path: "presage.config.json", values: given.file ?? {} },
      env: given.env ?? {},
      flags: given.flags ?? {},
    }),
  )

describe("Configuration", () => {
  it.effect("later layers win: default, file, environment, command line, live override", () =>
    Effect.gen(function* () {
      const row = (config: Configuration["Service"]) => {
        const { value, source } = config.rows().find(({ name }) => name === "job.wait") ?? {}
        return [value, source]
      }
      assert.deepStrictEqual(row(yield* load({})), ["5s", "default"])
      const file = { "job.wait": "6s" }
      const env = { JOB_WAIT: "7s" }
      const flags = { "job.wait": "8s" }
      assert.deepStrictEqual(row(yield* load({ file })), ["6s", "file"])
      assert.deepStrictEqual(row(yield* load({ file, env })), ["7s", "environment"])
      const config = yield* load({ file, env, flags })
      assert.deepStrictEqual(row(config), ["8s", "command line"])
      assert.deepStrictEqual(yield* config.applyOverrides(new Map([["job.wait", "9s"]])), [])
      assert.deepStrictEqual(row(config), ["9s", "live override"])
      assert.deepStrictEqual(yield* config.applyOverrides(new Map([["job.wait", "2h"]])), [
        'job.wait: "2h" is not a duration from 1s to 1h, for example 500ms, 10s, 5m, 1h or 7d',
      ])
      assert.deepStrictEqual(row(config), ["8s", "command line"])
    }),
  )

  it.effect("reports every invalid value at once, with the variable, the value and the valid values", () =>
    Effect.gen(function* () {
      const problems = yield* load({
        file: { "job.wait": 5, prot: 1 },
        env: { PORT: "99999", ROLE: "api,boss" },
        flags: { nope: "1" },
      }).pipe(
        Effect.flip,
        Effect.map((error) => error.problems),
      )
      assert.deepStrictEqual(problems, [
        `presage.config.json: unknown setting "prot"; see 'presage config'`,
        "--set nope: unknown setting; see 'presage config'",
        'PORT: "99999" is not a whole number from 0 to 65535',
        'presage.config.json: job.wait: "5" is not a duration from 1s to 1h, for example 500ms, 10s, 5m, 1h or 7d',
        'ROLE: "api,boss" is not one or more of api, worker, separated by commas',
      ])
    }),
  )

  it.effect("a secret is never shown, neither in the table nor in an error", () =>
    Effect.gen(function* () {
      const config = yield* load({ env: { DATABASE_URL: "postgres://u:hunter2@h/db" } })
      assert.notInclude(JSON.stringify(config.rows()), "hunter2")
      assert.strictEqual(Redacted.value(Option.getOrThrow(config.get(database))), "postgres://u:hunter2@h/db")
      const error = yield* Effect.flip(load({ env: { DATABASE_URL: "mysql://u:hunter2@h/db" } }))
      assert.notInclude(error.message, "hunter2")
    }),
  )

  it.effect("an empty variable counts as unset", () =>
    Effect.map(load({ env: { PORT: "" } }), (config) => assert.strictEqual(config.get(port), 8080)),
  )

  for (const nonsense of ["", " ", "NaN", "Infinity", "-1", "1e3", "0x10", "1.5", "８０", "1\u0000", "1,2", "null"]) {
    it(`a port refuses ${JSON.stringify(nonsense)}`, () => {
      assert.strictEqual(Setting.read(port, nonsense)._tag, "Failure")
    })
  }

  it("delays longer than a week are refused, because they cannot be printed back", () => {
    for (const nonsense of ["8d", "1s,99999999d", "999999999999d"])
      assert.strictEqual(Setting.read(delays, nonsense)._tag, "Failure")
  })

  it("a setting reads back what it prints", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 3_600_000 }),
        fc.array(fc.nat(604_800_000), { minLength: 1, maxLength: 20 }),
        (ms, list) => {
          const shown = Setting.show(wait, Duration.millis(ms))
          const read = Setting.read(wait, shown)
          assert.isTrue(read._tag === "Success" && Duration.toMillis(read.success) === ms)
          const durations = list.map((each) => Duration.millis(each))
          const back = Setting.read(delays, Setting.show(delays, durations))
          assert.isTrue(back._tag === "Success" && back.success.every((d, i) => Duration.toMillis(d) === list[i]))
        },
      ),
    )
  })
})
