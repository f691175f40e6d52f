import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect, Latch, Option } from "effect"
import { EventLogMaintenance } from "#src/mesh/eventLogMaintenance.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { childrenOf, isAlive } from "#src/platform/embedded/processes.ts"
import { peek } from "#src/platform/embedded/Stores.ts"
import { embeddedIn, initialisedDir, query, temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { keepAliveLoad } from "#test/support/processes/load.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { figures } from "#test/support/processes/scale.ts"

const readyWithin = 120_000
const goneWithin = 15_000

const presage = (name: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  start({ name, file: "src/main.ts", args, env })

const startProgram = (name: string, dir: string) =>
  Effect.gen(function* () {
    const env = {
      PRESAGE_DIR: dir,
      HOST: "127.0.0.1",
      PORT: "0",
      WS_PORT: "0",
      OPS_PORT: "0",
      CLUSTER_LOCK_EXPIRY: "1m",
    }
    const program = yield* presage(name, ["start"], env)
    const line = yield* program.waitForLine(/^presage ready/, readyWithin)
    const [, api] = /^presage ready {2}api (http:\/\/localhost:\d+)/.exec(line) ?? []
    const shown = yield* program.waitForLine(/^a key to try it/, 10_000)
    const key = shown.split(" ").at(-1) ?? ""
    const response = yield* Effect.promise(() => fetch(`${api}/v1/status`, { headers: { "x-api-key": key } }))
    assert.equal(response.status, 200, "the printed key works")
    assert.ok(!program.log().includes(key), "it is not in the log")
    return program
  })

const descendants = (pid: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const children = yield* childrenOf(pid)
    const deeper = yield* Effect.forEach(children, descendants)
    return [...children, ...deeper.flat()]
  })

/** Ends the program as `how` says; returns its exit code and how long its servers outlived it. */
const end = (program: Process, how: (program: Process) => void) =>
  Effect.gen(function* () {
    const servers = yield* descendants(program.pid)
    assert.ok(
      servers.length >= 5,
      `two keepers, two servers and the venue expected, but there are ${servers.length} processes`,
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

describe.concurrent("the whole program", () => {
  it.live("starts, stops in every way, and leaves only its data", () =>
    Effect.gen(function* () {
      const [dir, otherDir] = [yield* temporaryDir, yield* initialisedDir]
      const bothReady = yield* Latch.make()
      let readyCount = 0
      const startBeside = (name: string, where: string) =>
        Effect.tap(startProgram(name, where), () => (++readyCount === 2 ? bothReady.open : bothReady.await))

      const politely = Effect.gen(function* () {
        const first = yield* startBeside("first", dir)
        const terminated = yield* end(first, (program) => program.stop("SIGTERM"))
        assert.equal(terminated.code, 0, first.log())
        const again = yield* startProgram("first again", dir)
        const interrupted = yield* end(again, (program) => program.stop("SIGINT"))
        assert.equal(interrupted.code, 0, again.log())
        return { terminated, interrupted }
      })
      const violently = Effect.gen(function* () {
        const other = yield* startBeside("other", otherDir)
        yield* query(yield* databaseOf(otherDir), "create table kept as select 42 as answer")
        const killed = yield* end(other, (program) => program.kill())
        assert.equal(killed.code, 137)
        const again = yield* startProgram("other again", otherDir)
        assert.deepEqual(yield* query(yield* databaseOf(otherDir), "select answer from kept"), [{ answer: 42 }])
        const forced = yield* end(again, (program) => {
          program.stop("SIGTERM")
          program.stop("SIGINT")
        })
        assert.equal(forced.code, 130, again.log())
        return { killed, forced }
      })
      // Two instances in two directories at the same time.
      const [{ terminated, interrupted }, { killed, forced }] = yield* Effect.all([politely, violently], {
        concurrency: 2,
      })
      const say = ({ took, outlived }: { readonly took: number; readonly outlived: number }) =>
        `${took} ms (its servers ${outlived} ms more)`
      figures("end of the program", {
        "by SIGTERM": say(terminated),
        "by SIGINT": say(interrupted),
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

      const config = yield* presage("config", ["config", "--json"], env)
      assert.equal(yield* config.exit(readyWithin), 0, config.log())
      const rows: ReadonlyArray<{ name: string; value: string; source: string }> = JSON.parse(config.lines.join("\n"))
      const row = rows.find((each) => each.name === name)
      assert.deepEqual([row?.value, row?.source], ["6", "live override"])
      figures("tuning", { "concurrency 1 to 6 in another process": `${took} ms` })
    }).pipe(Effect.scoped, Effect.provide(sandbox([]))),
  )

  it.live("answers every request of busy clients during a SIGTERM", () =>
    Effect.gen(function* () {
      const env = { ...(yield* sandboxEnvironment), ROLE: "api", HOST: "127.0.0.1", PORT: "0" }
      const api = yield* start({ name: "api", file: "src/main.ts", args: ["start"], env })
      const ready = yield* api.waitForLine(/^presage ready/, readyWithin)
      const address = /api http:\/\/localhost:(\d+)/.exec(ready)
      const load = keepAliveLoad(20, `http://127.0.0.1:${address?.[1]}/openapi.json`)
      yield* eventually(
        "a busy server",
        20_000,
        Effect.sync(() => load.answered() > 500),
      )
      const since = performance.now()
      api.stop()
      const failures = yield* Effect.promise(() => load.failures)
      assert.deepEqual(failures, [])
      assert.equal(yield* api.exit(15_000), 0, api.log())
      figures("SIGTERM with requests", {
        clients: 20,
        answered: load.answered(),
        failed: failures.length,
        "exit after": `${Math.round(performance.now() - since)} ms`,
      })
    }).pipe(Effect.scoped, Effect.provide(sandbox([]))),
  )
})
