import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { childrenOf } from "#src/platform/embedded/processes.ts"
import type { HealthReport } from "#src/platform/telemetry/Health.ts"
import type { SourcesReport } from "#src/status/model.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"

export const pollMillis = 250

const answer = <A>(url: string, headers: Record<string, string> = {}) =>
  Effect.promise(async (): Promise<{ readonly status: number; readonly body: A } | undefined> => {
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(5_000) })
      return { status: response.status, body: (await response.json()) as A }
    } catch {
      return undefined
    }
  })

/** The whole program, as a user starts it. Its API has a free port unless `more` has another. */
export const startInstance = (
  name: string,
  dir: string,
  simPort: number,
  more: Readonly<Record<string, string>> = {},
) =>
  Effect.gen(function* () {
    const port = more["PORT"] ?? String(yield* freePort)
    const env = {
      PRESAGE_DIR: dir,
      HOST: "127.0.0.1",
      WS_PORT: "0",
      SIM_PORT: String(simPort),
      LOG_FORMAT: "pretty",
      ...more,
      PORT: port,
    }
    const program = yield* start({ name, file: "src/main.ts", args: ["start"], env })
    const api = `http://127.0.0.1:${port}`
    return { ...program, api, readiness: answer<HealthReport>(`${api}/readyz`) }
  })

export type Instance = Effect.Success<ReturnType<typeof startInstance>>

export const becomesReady = (instance: Instance, why: string, within: number) => {
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

export const statusOf = ({ api }: Instance, key: string) =>
  Effect.map(answer<SourcesReport>(`${api}/v1/status`, { "x-api-key": key }), (found) => {
    const sources = new Map((found?.body.sources ?? []).map((source) => [source.source, source]))
    return (name: string) => sources.get(name)
  })

/** The process id of the simulated venue that an instance runs; 0 if it runs none. */
export const venueOf = (instance: Instance) =>
  Effect.map(
    Effect.flatMap(childrenOf(instance.pid), (pids) =>
      Effect.filter(pids, (pid) => Effect.sync(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("main.ts"))),
    ),
    ([pid = 0]) => pid,
  )
