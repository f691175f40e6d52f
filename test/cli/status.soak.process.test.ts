import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { childrenOf, isAlive } from "#src/platform/embedded/processes.ts"
import type { SourcesReport } from "#src/status/model.ts"
import { initialisedDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"

const readyWithin = 120_000

/** The sources of a printed table and their states. */
const statesIn = (table: string) =>
  new Map(
    [...table.matchAll(/^(\S+) +(ok|late|stopped|unknown) /gm)].map(([, source = "", state = ""]) => [source, state]),
  )

describe("presage status", () => {
  it.live("reports from another process which sources are followed, and after a stop the last state", () =>
    Effect.gen(function* () {
      const env = {
        PRESAGE_DIR: yield* initialisedDir,
        HOST: "127.0.0.1",
        PORT: "0",
        WS_PORT: "0",
        CLUSTER_LOCK_EXPIRY: "1m",
      }
      const presage = (...args: ReadonlyArray<string>) =>
        start({ name: args.join(" "), file: "src/main.ts", args, env })
      const printed = Effect.gen(function* () {
        const command = yield* presage("status")
        assert.equal(yield* command.exit(60_000), 0, command.log())
        return command.lines.join("\n")
      })

      assert.match(yield* printed, /no source has been followed yet/)

      const service = yield* presage("start")
      const line = yield* service.waitForLine(/^presage ready/, readyWithin)
      const [, api] = /^presage ready {2}api (http:\/\/localhost:\d+)/.exec(line) ?? []
      const shown = yield* service.waitForLine(/^a key to try it/, readyWithin)
      const headers = { "x-api-key": shown.split(" ").at(-1) ?? "" }
      // A process takes a second to start, so the service itself is polled first.
      const followed = new Set<string>()
      yield* eventually(
        "the service reports every source as up to date",
        60_000,
        Effect.promise(async () => {
          const { sources } = (await (await fetch(`${api}/v1/status`, { headers })).json()) as SourcesReport
          for (const { source } of sources) followed.add(source)
          return sources.every(({ state }) => state === "ok")
        }),
        250,
      )
      yield* eventually(
        "every source is followed and up to date",
        60_000,
        Effect.map(printed, (table) => {
          assert.match(table, /^SOURCE +STATE .*\nchain /)
          const states = statesIn(table)
          assert.deepEqual(new Set(states.keys()), followed)
          return [...states.values()].every((state) => state === "ok")
        }),
      )

      const children = yield* childrenOf(service.pid)
      service.stop("SIGINT")
      assert.equal(yield* service.exit(30_000), 0, service.log())
      yield* eventually(
        "no child process is left",
        15_000,
        Effect.sync(() => !children.some(isAlive)),
      )
      const afterwards = yield* printed
      assert.match(afterwards, /\nchain +stopped /)
      assert.match(afterwards, /no process follows any source: the numbers are from [\d.]+ s ago/)
    }),
  )
})
