import { Effect } from "effect"
import pg from "pg"
import { eventually } from "#test/support/eventually.ts"
import { startApi } from "./support/api.ts"
import type { Bench } from "./support/Bench.ts"
import type { LoadSubject } from "./support/load.ts"
import { interleave } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 7
const millis = 2000
const connections = 4
const slowRequests = 64
/** How many of an account's requests the process works on at a time: the default. */
const inProgress = 8

/** Short answers for which every request asks Postgres. */
const path = "/v1/keys"
const slowPath = (n: number) => `/v3/wallets/0x${n.toString(16).padStart(40, "0")}/trades`

/** A connection of its own, which can make others wait. */
const connect = (databaseUrl: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: databaseUrl })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end()),
  )

/** Statements that wait for a lock. */
const waiting = (client: pg.Client) =>
  Effect.promise(async () => {
    const { rows } = await client.query(
      "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%fill%'",
    )
    return Number(rows[0].n)
  })

/** Requests of one account while another account has 64 requests that wait in Postgres, and without these. */
export const fairness: Bench = Effect.gen(function* () {
  const { environment, databaseUrl } = yield* BenchStores
  const {
    api,
    port,
    key: slowKey,
  } = yield* startApi({
    ...environment,
    LIMITS_IN_PROGRESS: String(inProgress),
    POSTGRES_STATEMENT_TIMEOUT: "2m",
  })
  const { key } = yield* api.call("listen")
  const load = yield* startSubject<LoadSubject>("support/load.ts")
  const locks = yield* connect(databaseUrl)
  const observer = yield* connect(databaseUrl)
  const measure = load.call("run", { port, path, headers: { "x-api-key": key }, connections, millis })

  let slowest = 0
  const besideSlow = Effect.gen(function* () {
    yield* Effect.promise(() => locks.query("begin; lock table fill in access exclusive mode"))
    const answers = Array.from({ length: slowRequests }, () =>
      fetch(`http://127.0.0.1:${port}${slowPath(++slowest)}`, { headers: { "x-api-key": slowKey } }),
    )
    yield* eventually(
      "the first slow requests wait for Postgres",
      Effect.map(waiting(observer), (count) => count === inProgress),
    )
    const result = yield* measure
    yield* Effect.promise(() => locks.query("rollback"))
    const statuses = yield* Effect.promise(async () => (await Promise.all(answers)).map(({ status }) => status))
    if (statuses.some((status) => status !== 200)) return yield* Effect.die(`slow requests were answered ${statuses}`)
    return result
  })

  const results = yield* interleave(rounds, { alone: measure, beside: besideSlow })
  const pick = (name: "p50" | "p99") => ({
    beside: results.beside.map((each) => each[name]),
    alone: results.alone.map((each) => each[name]),
  })
  const lines = (["p50", "p99"] as const).map((name) => {
    const { beside, alone } = pick(name)
    const ratio = { to: "alone", value: medianRatio(beside, alone) }
    const what = `${path} beside ${slowRequests} slow requests of another account, ${name}`
    return { what, unit: "ms", ours: median(beside), alternative: { name: "alone", value: median(alone) }, ratio }
  })
  const { beside, alone } = pick("p99")
  const times = {
    what: "  p99, times that without them",
    unit: "times",
    ours: medianRatio(beside, alone),
    goal: { most: 2 },
  }
  return {
    lines: [...lines, times],
    notes: [
      `${connections} connections, one request at a time on each; the slow requests wait for a lock in Postgres, ${inProgress} at a time`,
    ],
    rounds: results,
  }
}).pipe(withStores)
