import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { childrenOf } from "#src/platform/embedded/processes.ts"
import type { HealthReport } from "#src/platform/telemetry/Health.ts"
import type { SourcesReport } from "#src/status/model.ts"
import { initialisedDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { figures } from "#test/support/processes/scale.ts"

const readyWithin = 180_000
/** The stores restart, shard locks expire, and the venue computes its world again. */
const takeoverWithin = 90_000
const pollMillis = 250

const answer = <A>(url: string, headers: Record<string, string> = {}) =>
  Effect.promise(async (): Promise<{ readonly status: number; readonly body: A } | undefined> => {
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(5_000) })
      return { status: response.status, body: (await response.json()) as A }
    } catch {
      return undefined
    }
  })

const startInstance = (name: string, dir: string, simPort: number) =>
  Effect.gen(function* () {
    const port = yield* freePort
    const env = { PRESAGE_DIR: dir, HOST: "127.0.0.1", PORT: String(port), WS_PORT: "0", SIM_PORT: String(simPort) }
    const program = yield* start({ name, file: "src/main.ts", args: ["start"], env: { ...env, LOG_FORMAT: "pretty" } })
    const api = `http://127.0.0.1:${port}`
    return { ...program, api, readiness: answer<HealthReport>(`${api}/readyz`) }
  })

type Instance = Effect.Success<ReturnType<typeof startInstance>>

const becomesReady = (instance: Instance, why: string, within: number) => {
  let last: unknown
  return eventually(
    `${instance.name} is ready ${why}`,
    within,
    Effect.map(instance.readiness, (report) => {
      last = report
      return report?.status === 200
    }),
    pollMillis,
  ).pipe(Effect.tapCause(() => Effect.logError(instance.name, JSON.stringify(last), instance.log().slice(-3_000))))
}

const statusOf = ({ api }: Instance, key: string) =>
  Effect.map(answer<SourcesReport>(`${api}/v1/status`, { "x-api-key": key }), (found) => {
    const sources = new Map((found?.body.sources ?? []).map((source) => [source.source, source]))
    return (name: string) => sources.get(name)
  })

const venueOf = (instance: Instance) =>
  Effect.map(
    Effect.flatMap(childrenOf(instance.pid), (pids) =>
      Effect.filter(pids, (pid) => Effect.sync(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("main.ts"))),
    ),
    ([pid = 0]) => pid,
  )

describe("two instances of one directory", () => {
  it.live("the second follows every source when the first is killed, and says when its sources stand still", () =>
    Effect.gen(function* () {
      const dir = yield* initialisedDir
      const simPort = yield* freePort
      const first = yield* startInstance("first", dir, simPort)
      yield* becomesReady(first, "at first", readyWithin)
      const second = yield* startInstance("second", dir, simPort)
      yield* becomesReady(second, "beside the first", readyWithin)
      const report = yield* second.readiness
      for (const check of ["postgres", "redis", "schedules", "cluster", "ledger", "sources"])
        assert.ok(check in (report?.body.dependencies ?? {}), `ready without the check ${check}`)
      const shown = yield* second.waitForLine(/^a key to try it/, 30_000)
      const key = shown.split(" ").at(-1) ?? ""
      const blockOf = Effect.map(statusOf(second, key), (source) => Number(source("chain")?.details["block"] ?? 0))
      const before = yield* blockOf

      first.kill()
      const took = yield* eventually(
        "new blocks after the kill",
        takeoverWithin,
        Effect.map(blockOf, (block) => block > before + 5),
        pollMillis,
      )
      yield* becomesReady(second, "without the first", takeoverWithin)
      assert.ok(!second.hasExited(), second.log())
      assert.match(second.log(), /took over the stores/)
      assert.match(second.log(), /starting the venue/)

      const venue = yield* venueOf(second)
      process.kill(venue, "SIGSTOP")
      const noticed = yield* eventually(
        "a frozen venue is noticed",
        takeoverWithin,
        Effect.gen(function* () {
          const source = yield* statusOf(second, key)
          const health = yield* second.readiness
          if (health?.status !== 503 || health.body.dependencies["sources"]?.state !== "down") return false
          return source("books")?.state === "late" && source("chain")?.state === "late"
        }),
        pollMillis,
      )
      process.kill(venue, "SIGCONT")
      const back = yield* becomesReady(second, "with its venue again", takeoverWithin)
      figures("two instances", {
        "blocks after kill -9 of the first": `${took} ms`,
        "a frozen venue is noticed after": `${noticed} ms`,
        "ready again after": `${back} ms`,
      })
    }),
  )
})
