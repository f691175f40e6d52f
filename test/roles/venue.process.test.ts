import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { childrenOf, isAlive } from "#src/platform/embedded/processes.ts"
import { initialisedDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"

/** The other child processes are keepers, which are shells. */
const isVenue = (pid: number) => Effect.sync(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("main.ts"))

describe("the whole program", () => {
  it.live("runs the simulated venue; one that dies restarts and continues the same chain", () =>
    Effect.gen(function* () {
      const program = yield* start({
        name: "with a venue",
        file: "src/main.ts",
        args: ["start"],
        env: {
          PRESAGE_DIR: yield* initialisedDir,
          HOST: "127.0.0.1",
          PORT: "0",
          WS_PORT: "0",
          CLUSTER_LOCK_EXPIRY: "1m",
          SIM_PORT: String(yield* freePort),
        },
      })
      const line = yield* program.waitForLine(/^presage ready/, 120_000)
      const venue = /sim (http\S+)/.exec(line)?.[1] ?? ""
      const ask = (method: string, ...params: ReadonlyArray<unknown>) =>
        Effect.promise(async () => {
          const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
          const answer = await fetch(`${venue}/rpc`, { method: "POST", body })
          return (await answer.json()) as { readonly result: Record<string, string> & string }
        })
      const head = (yield* ask("eth_blockNumber")).result
      const before = (yield* ask("eth_getBlockByNumber", head, false)).result
      const children = yield* childrenOf(program.pid)
      const pid = (yield* Effect.filter(children, (child) => isVenue(child)))[0] ?? 0
      process.kill(pid, "SIGKILL")
      yield* eventually(
        "the venue is gone",
        15_000,
        Effect.sync(() => !isAlive(pid)),
      )
      yield* eventually(
        "the venue is back",
        30_000,
        Effect.match(
          Effect.tryPromise(() => fetch(`${venue}/_sim/state`)),
          {
            onFailure: () => false,
            onSuccess: ({ ok }) => ok,
          },
        ),
      )
      const after = (yield* ask("eth_getBlockByNumber", head, false)).result
      assert.deepEqual([after["hash"], after["parentHash"]], [before["hash"], before["parentHash"]])
      assert.ok(!program.hasExited())
    }),
  )
})
