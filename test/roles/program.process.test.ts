import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { EventLogMaintenance } from "#src/mesh/contracts.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { freePort } from "#src/platform/embedded/ports.ts"
import { childrenOf, isAlive } from "#src/platform/embedded/processes.ts"
import { peek } from "#src/platform/embedded/Stores.ts"
import { embeddedIn, initialisedDir, query } from "#test/platform/embedded/support/sandbox.ts"
import { keepAliveLoad } from "#test/support/processes/load.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { figures } from "#test/support/processes/scale.ts"

const readyWithin = 600_000
const goneWithin = 15_000

const presage = (name: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  start({ name, file: "src/main.ts", args, env })

/** A started program, the address of its API and the key that it printed. */
interface Started extends Process {
  readonly ready: string
  readonly api: string
  readonly key: string
}

const startProgram = (name: string, dir: string, more: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const env = {
      PRESAGE_DIR: dir,
      HOST: "127.0.0.1",
      PORT: "0",
      WS_PORT: "0",
      OPS_PORT: "0",
      CLUSTER_LOCK_EXPIRY: "1m",
      ...more,
    }
    const program = yield* presage(name, ["start"], env)
    const ready = yield* program.waitForLine(/^presage ready/, readyWithin)
    const [, api = ""] = /^presage ready {2}api (http:\/\/localhost:\d+)/.exec(ready) ?? []
    const shown = yield* program.waitForLine(/^a key to try it/, 10_000)
    const key = shown.split(" ").at(-1) ?? ""
    const response = yield* Effect.promise(() => fetch(`${api}/v1/status`, { headers: { "x-api-key": key } }))
    assert.equal(response.status, 200, "the printed key works")
    assert.ok(!program.log().includes(key), "it is not in the log")
    const started: Started = { ...program, ready, api, key }
    return started
  })

const descendants = (pid: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const children = yield* childrenOf(pid)
    const deeper = yield* Effect.forEach(children, descendants)
    return [...children, ...deeper.flat()]
  })

/** Ends the program as `how` says; returns its exit code and how long its servers outlived it. */
const end = (program: Process, how: (program: Process) => void, children = 4) =>
  Effect.gen(function* () {
    const servers = yield* descendants(program.pid)
    assert.ok(
      servers.length >= children,
      `two keepers, two servers and maybe the venue expected, but there are ${servers.length} processes`,
    )
    const since = performance.now()
    how(program)
    const code = yield* program.exit(20_000)
    const took = Math.round(performance.now() - since)
    const outlived = yield* eventually(
      "no child process is left",
      goneWithin,
      Effect.sync(() => !servers.some(isAlive)),
    )
    return { code, took, outlived }
  })

const databaseOf = (dir: string) => Effect.map(peek(embeddedIn(dir)), (stores) => Option.getOrThrow(stores).databaseUrl)

/** The other child processes are keepers, which are shells. */
const isVenue = (pid: number) => Effect.sync(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("main.ts"))

const blockOf = (venue: string, number: string) =>
  Effect.promise(async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [number, false] })
    const answer = await fetch(`${venue}/rpc`, { method: "POST", body })
    return ((await answer.json()) as { readonly result: Readonly<Record<string, string>> }).result
  })

/** Kills the venue of a program; the one that replaces it has the same blocks. */
const replaceVenue = (program: Started) =>
  Effect.gen(function* () {
    const venue = /sim (http\S+)/.exec(program.ready)?.[1] ?? ""
    const before = yield* blockOf(venue, "latest")
    const pid = (yield* Effect.filter(yield* childrenOf(program.pid), isVenue))[0] ?? 0
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
        { onFailure: () => false, onSuccess: ({ ok }) => ok },
      ),
      100,
    )
    const after = yield* blockOf(venue, before["number"] ?? "")
    assert.ok(before["hash"] !== undefined)
    assert.deepEqual([after["hash"], after["parentHash"]], [before["hash"], before["parentHash"]])
    assert.ok(!program.hasExited())
  })

/** Stops a program during the requests of busy clients; all of them are answered. */
const stopUnderLoad = (program: Started) =>
  Effect.gen(function* () {
    const load = keepAliveLoad(20, `${program.api.replace("localhost", "127.0.0.1")}/openapi.json`)
    yield* eventually(
      "a busy server",
      20_000,
      Effect.sync(() => load.answered() > 100),
    )
    const terminated = yield* end(program, () => program.stop("SIGTERM"))
    assert.equal(terminated.code, 0, program.log())
    const failures = yield* Effect.promise(() => load.failures)
    assert.deepEqual(failures, [])
    figures("SIGTERM with requests", { clients: 20, answered: load.answered(), failed: failures.length })
    return terminated
  })

/** Names of metrics in a file of `deploy`, as Prometheus knows them. */
const metricsIn = (file: string): ReadonlySet<string> =>
  new Set(readFileSync(`deploy/${file}`, "utf8").match(/presage_[a-z_]+/g))

/** The running service has every metric that the dashboard and the alert rules use. */
const exportsItsMetrics = ({ api }: Started) =>
  Effect.gen(function* () {
    const used = [...new Set([...metricsIn("grafana.json"), ...metricsIn("alerts.yml")])]
    assert.ok(used.length > 20)
    const missing = Effect.promise(async () => {
      const exported = new Set((await (await fetch(`${api}/metrics`)).text()).match(/^presage_[a-z_]+/gm))
      return used.filter((name) => !exported.has(name))
    })
    yield* eventually(
      "every metric of deploy/ is exported",
      90_000,
      Effect.map(missing, (names) => names.length === 0),
      500,
    ).pipe(Effect.tapCause(() => Effect.flatMap(missing, (names) => Effect.logError(`missing: ${names.join(", ")}`))))
  })

describe.concurrent("the whole program", () => {
  it.live("restarts its venue, answers every request during a SIGTERM, and leaves only its data however it ends", () =>
    Effect.gen(function* () {
      const [dir, otherDir] = yield* Effect.all([initialisedDir, initialisedDir])
      const whole = yield* startProgram("whole", dir, { SIM_PORT: String(yield* freePort), BALANCES_EVERY: "2s" })
      yield* exportsItsMetrics(whole)
      yield* replaceVenue(whole)
      yield* query(yield* databaseOf(dir), "create table kept as select 42 as answer")
      const killed = yield* end(whole, (program) => program.kill(), 5)
      assert.equal(killed.code, 137)

      // Two instances in two directories at the same time.
      const [again, other] = yield* Effect.all(
        [startProgram("again", dir, { ROLE: "api" }), startProgram("other", otherDir, { ROLE: "api" })],
        { concurrency: 2 },
      )
      assert.deepEqual(yield* query(yield* databaseOf(dir), "select answer from kept"), [{ answer: 42 }])
      const terminated = yield* stopUnderLoad(other)
      const forced = yield* end(again, (program) => {
        program.stop("SIGTERM")
        program.stop("SIGINT")
      })
      assert.equal(forced.code, 130, again.log())
      const say = ({ took, outlived }: { readonly took: number; readonly outlived: number }) =>
        `${took} ms (its servers ${outlived} ms more)`
      figures("end of the program", {
        "by SIGTERM": say(terminated),
        "by kill -9": say(killed),
        "by two signals": say(forced),
      })
    }),
  )

  it.live("names the variable of an invalid setting and exits with 2", () =>
    Effect.gen(function* () {
      const program = yield* presage("misconfigured", ["start"], { PORT: "eighty", SHUTDOWN_GRACE: "soon" })
      assert.equal(yield* program.exit(readyWithin), 2)
      assert.match(program.log(), /PORT: "eighty" is not a whole number/)
      assert.match(program.log(), /SHUTDOWN_GRACE: "soon" is not a duration/)
    }),
  )

  it.live("changes a setting of a running worker from another process", () =>
    Effect.gen(function* () {
      const name = `${EventLogMaintenance.name}.concurrency`
      const jobs = yield* Jobs
      const env = yield* sandboxEnvironment
      const worker = yield* start({
        name: "worker",
        file: "test/support/processes/entries/tunable.ts",
        env: { ...env, EVENT_LOG_MAINTENANCE_CONCURRENCY: "1", EVENT_LOG_MAINTENANCE_LOCK: "5m" },
      })
      yield* Effect.promise(() =>
        jobs
          .queue(EventLogMaintenance)
          .addBulk(Array.from({ length: 8 }, (_, id) => ({ name: "endless", data: { id, millis: 0 } }))),
      )
      yield* worker.waitFor("begin", { within: readyWithin })
      const running = () => worker.reports.filter(({ kind }) => kind === "begin").length
      assert.equal(running(), 1)

      const tuned = yield* presage("tune", ["tune", name, "6"], env)
      yield* tuned.waitForLine(/-> 6/, readyWithin)
      const took = yield* eventually(
        "six jobs at a time",
        2_000,
        Effect.sync(() => running() === 6),
      )
      assert.equal(yield* tuned.exit(10_000), 0, tuned.log())
      figures("tuning", { "concurrency 1 to 6 in another process": `${took} ms` })
    }).pipe(Effect.scoped, Effect.provide(sandbox([]))),
  )
})
