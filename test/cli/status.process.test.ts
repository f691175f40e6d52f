import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SourcesReport } from "#src/status/model.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"

const readyWithin = 120_000

describe("presage status", () => {
  it.live("reports from another process which sources are followed, and after a stop the last state", () =>
    Effect.gen(function* () {
      const env = {
        PRESAGE_DIR: yield* temporaryDir,
        HOST: "127.0.0.1",
        PORT: "0",
        WS_PORT: "0",
        CLUSTER_LOCK_EXPIRY: "1m",
      }
      const presage = (...args: ReadonlyArray<string>) =>
        start({ name: args.join(" "), file: "src/main.ts", args, env })
      const answerOf = (...args: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const command = yield* presage(...args)
          assert.equal(yield* command.exit(60_000), 0, command.log())
          return command.lines.join("\n")
        })
      const report = Effect.map(answerOf("status", "--json"), (text) => JSON.parse(text) as SourcesReport)
      const states = Effect.map(report, ({ sources }) => new Set(sources.map(({ state }) => state)))

      assert.match(yield* answerOf("status"), /no source has been followed yet/)

      const service = yield* presage("start")
      const line = yield* service.waitForLine(/^presage ready/, readyWithin)
      const [, api] = /^presage ready {2}api (http:\/\/localhost:\d+)/.exec(line) ?? []
      const shown = yield* service.waitForLine(/^a key to try it/, readyWithin)
      const headers = { "x-api-key": shown.split(" ").at(-1) ?? "" }
      // A process takes seconds to start, so the service itself is polled first.
      yield* eventually(
        "the service reports every source as up to date",
        60_000,
        Effect.promise(async () => {
          const answer = (await (await fetch(`${api}/v1/status`, { headers })).json()) as SourcesReport
          return answer.sources.every(({ state }) => state === "ok")
        }),
      )
      yield* eventually(
        "every source is followed and up to date",
        60_000,
        Effect.map(states, (all) => all.size === 1 && all.has("ok")),
      )
      assert.match(yield* answerOf("status"), /^SOURCE +STATE .*\nchain +ok /)

      service.stop()
      yield* service.exit(30_000)
      const afterwards = yield* answerOf("status")
      assert.match(afterwards, /\nchain +stopped /)
      assert.match(afterwards, /no process follows any source: the numbers are from [\d.]+ s ago/)
    }),
  )
})
