import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SourcesReport } from "#src/status/model.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"

const readyWithin = 120_000

describe("presage status", () => {
  it.live("tells from another process what is followed, and afterwards what was", () =>
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
          const asked = yield* presage(...args)
          assert.equal(yield* asked.exit(60_000), 0, asked.log())
          return asked.lines.join("\n")
        })
      const report = Effect.map(answerOf("status", "--json"), (text) => JSON.parse(text) as SourcesReport)
      const states = Effect.map(report, ({ sources }) => new Set(sources.map(({ state }) => state)))

      assert.match(yield* answerOf("status"), /nothing has been followed yet/)

      const service = yield* presage("start")
      const line = yield* service.waitForLine(/^presage ready/, readyWithin)
      const [, api] = /^presage ready {2}api (http:\/\/localhost:\d+)/.exec(line) ?? []
      const shown = yield* service.waitForLine(/^a key to try it/, readyWithin)
      const headers = { "x-api-key": shown.split(" ").at(-1) ?? "" }
      // Every process of ours takes seconds to start: whether it is time to ask, the service itself says.
      yield* eventually(
        "the service says that every source is up to date",
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
      assert.match(afterwards, /no process follows anything: the figures are from [\d.]+ s ago/)
    }),
  )
})
