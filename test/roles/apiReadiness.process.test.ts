import assert from "node:assert/strict"
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { HealthReport } from "#src/platform/telemetry/Health.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"

const readyWithin = 60_000
const seenWithin = 10_000

layer(sandbox([]), { excludeTestServices: true })("An API in a process of its own", (it) => {
  it.effect("is not ready before the history is read, nor while no new block comes", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const env = { ...(yield* sandboxEnvironment), ROLE: "api", HOST: "127.0.0.1", PORT: "0" }
      const api = yield* start({ name: "api", file: "src/main.ts", args: ["start"], env })
      const line = yield* api.waitForLine(/^presage ready/, readyWithin)
      const address = /http:\/\/localhost:\d+/.exec(line)?.[0]
      const dependency = (name: string) =>
        Effect.promise(async () => {
          const answer = await fetch(`${address}/readyz`)
          const report = (await answer.json()) as HealthReport
          assert.equal(answer.status, report.status === "ready" ? 200 : 503)
          return report.dependencies[name]
        })
      const becomes = (name: string, state: "up" | "down", detail: RegExp) =>
        eventually(
          `${name} is ${state}, ${detail}`,
          seenWithin,
          Effect.map(dependency(name), (found) => found?.state === state && detail.test(found.detail ?? "")),
        )
      const setNewest = (ago: string) => sql`update block set at = now() - ${ago}::interval where number = 7`

      yield* becomes("ledger", "down", /no process has the role worker/)
      yield* sql`insert into block (number, hash, at, logs) values (7, '\\x01', now(), 0)`
      yield* sql`
        insert into chain_cursor (name, block, hash, started_from, head, caught_up_at)
        values ('polygon', 7, '\\x01', 7, 7, now())`
      yield* becomes("ledger", "up", /at block 7/)
      yield* setNewest("5 minutes")
      yield* becomes("sources", "down", /the newest data of chain are 3\d\d s old/)
      yield* setNewest("0")
      yield* becomes("sources", "up", /^(?!.*chain)/)
    }),
  )
})
