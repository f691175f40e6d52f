import assert from "node:assert/strict"
import { Agent } from "node:http"
import { layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName, PerMinute } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { collector } from "#test/platform/support/collector.ts"
import { start } from "#test/support/processes/Process.ts"
import { sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { fire, type Hit } from "./support/fire.ts"
import { everythingInPostgres, everythingInRedis } from "./support/stored.ts"

const isSoak = process.env.PRESAGE_SOAK !== undefined
const windowMillis = isSoak ? 60_000 : 4_000
const windows = isSoak ? 3 : 2
// A third of the requests that a busy machine still manages, so that the limit is what refuses.
const limit = isSoak ? 4_000 : 60
const clients = isSoak ? 64 : 16

const foundation = accountKeys.pipe(Layer.provideMerge(sandbox([])))

/** Two keys of one account with `limit` requests per window. */
const twoKeys = Effect.gen(function* () {
  const keys = yield* Keys
  const first = yield* keys.open("growth", KeyName.make("first"))
  const second = yield* keys.createKey(first.account.id, KeyName.make("second"))
  yield* keys.setLimits(first.account.id, { standard: PerMinute.make(limit) })
  return { account: first.account.id, keys: [first.key, second.key].map(Redacted.value) }
})

const apiProcess = (name: string, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const api = yield* start({ name, file: "src/main.ts", args: ["start"], env })
    const line = yield* api.waitForLine(/^presage ready/, 60_000)
    return { ...api, port: Number(/localhost:(\d+)/.exec(line)?.[1]) }
  })

/** Maximum of requests that were both sent and answered within one window. */
const mostInAWindow = (admitted: ReadonlyArray<Hit>): number => {
  const byStart = [...admitted].sort((a, b) => a.asked - b.asked)
  let most = 0
  for (const [i, { asked }] of byStart.entries()) {
    const inside = byStart.slice(i).filter(({ answered }) => answered < asked + windowMillis)
    most = Math.max(most, inside.length)
  }
  return most
}

const meteredRequests = (account: AccountId) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [row] = yield* sql<{ n: number }>`
      select coalesce(sum(requests), 0)::int as n from usage_day where account_id = ${account}`
    return row?.n
  })

layer(foundation, { excludeTestServices: true })("Two API processes", (it) => {
  it.effect(
    "share the limits of an account, meter every request, and store no key anywhere",
    () =>
      Effect.gen(function* () {
        const { url, bodies } = yield* collector
        const { account, keys } = yield* twoKeys
        const env = {
          ...(yield* sandboxEnvironment),
          ROLE: "api",
          HOST: "127.0.0.1",
          PORT: "0",
          LIMITS_WINDOW: `${windowMillis}ms`,
          LOG_LEVEL: "debug",
          OTEL_EXPORTER_OTLP_ENDPOINT: url,
          OTEL_SAMPLE_RATIO: "1",
        }
        const apis = yield* Effect.all([apiProcess("one", env), apiProcess("two", env)], { concurrency: 2 })

        const agent = new Agent({ keepAlive: true, maxSockets: clients })
        const hits = yield* fire({
          agent,
          clients,
          millis: windowMillis * windows,
          perSecond: (3 * limit * 1000) / windowMillis,
          // Every way to send a key, to both processes.
          request: (n) => {
            const [key = "", port] = [keys[n % 2], apis[(n >> 1) % 2]?.port ?? 0]
            return (
              [
                { port, path: "/v1/keys", headers: { "x-api-key": key } },
                { port, path: "/v1/keys", headers: { authorization: `Bearer ${key}` } },
                { port, path: `/v1/keys?key=${key}`, headers: {} },
                { port, path: `/v1/keys?limit=${key}&key=${key}`, headers: { referer: `http://x/?key=${key}` } },
              ][(n >> 2) % 4] ?? { port, path: "/", headers: {} }
            )
          },
        })
        agent.destroy()

        const admitted = hits.filter(({ status }) => status === 200 || status === 400)
        const refused = hits.filter(({ status }) => status === 429)
        assert.equal(admitted.length + refused.length, hits.length, "nothing but answers, complaints and refusals")
        assert.ok(refused.length > limit, `only ${refused.length} were refused`)
        const most = mostInAWindow(admitted)
        assert.ok(most <= limit, `${most} were admitted in one window`)
        const share = admitted.length / (limit * windows)
        assert.ok(share >= 0.98, `only ${share} of what was allowed was admitted`)

        for (const api of apis) api.stop()
        for (const api of apis) assert.equal(yield* api.exit(30_000), 0, api.log())
        assert.equal(yield* meteredRequests(account), admitted.length, "every admitted request is metered, to the last")

        const traces = [...bodies.values()].join("\n")
        assert.match(traces, /\/v1\/keys/)
        const kept = {
          "the logs": apis.map((api) => api.log() + api.lines.join("\n")).join("\n"),
          "traces, metrics and logs at the collector": traces,
          Postgres: yield* everythingInPostgres,
          Redis: yield* everythingInRedis,
        }
        for (const [where, text] of Object.entries(kept)) {
          // The ring of an account's admissions alone takes some hundred characters.
          assert.ok(text.length > 500, `${where}: too little to look at`)
          for (const key of keys) assert.ok(!text.includes(key.slice(9)), `a key is in ${where}`)
        }
      }),
    600_000,
  )
})
