import assert from "node:assert/strict"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Logger, Redacted, Scope } from "effect"
import { ensureSecrets, openDirectory } from "#src/platform/embedded/directory.ts"
import { claim } from "#src/platform/embedded/Ownership.ts"
import { findServers } from "#src/platform/embedded/orphans.ts"
import * as Stores from "#src/platform/embedded/Stores.ts"
import {
  atTheSocketOf,
  eventually,
  isGone,
  ownerProcess,
  postgresPid,
  query,
  redisCall,
  redisIn,
  redisPid,
  temporaryDir,
} from "./support/sandbox.ts"

const timeout = 600_000

const takeovers = (lines: ReadonlyArray<string>) => lines.filter((line) => line.includes("took over")).length

const succeeds = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false),
  )

describe("takeover", () => {
  it.live("a service waits for a short command that owns the stores, and then owns them", () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDir
      const migrating = yield* Scope.make()
      const brief = yield* Stores.acquire({ ...redisIn(dir), brief: true }).pipe(Scope.provide(migrating))
      assert.equal(brief.joined, false)
      const alsoBrief = yield* Effect.scoped(Stores.acquire({ ...redisIn(dir), brief: true }))
      assert.equal(alsoBrief.joined, true)
      yield* eventually(
        "the second short command has hung up",
        Effect.sync(() => atTheSocketOf(dir) === 1),
      )

      const starting = yield* Effect.forkChild(Stores.acquire(redisIn(dir)), { startImmediately: true })
      yield* eventually(
        "the service waits at the socket of the short command",
        Effect.sync(() => atTheSocketOf(dir) === 2),
      )
      assert.equal(yield* redisCall(brief.redisUrl, "PING"), "PONG")
      yield* Scope.close(migrating, Exit.void)
      const service = yield* Fiber.join(starting)
      assert.equal(service.joined, false)
      assert.equal(Redacted.value(service.redisUrl), Redacted.value(brief.redisUrl))
      assert.equal(yield* redisCall(service.redisUrl, "PING"), "PONG")
    }),
  )

  it.live(
    "of processes that start together one owns the stores; exactly one takes over from an exited owner on the same ports, repeatedly",
    () =>
      Effect.gen(function* () {
        const dir = yield* temporaryDir
        const processes = yield* Effect.all([ownerProcess(dir), ownerProcess(dir), ownerProcess(dir)])
        const reports = yield* Effect.all(
          processes.map(({ report }) => report),
          { concurrency: 3 },
        )
        assert.equal(reports.filter(({ joined }) => !joined).length, 1)
        assert.equal(new Set(reports.map((each) => Redacted.value(each.databaseUrl))).size, 1)
        const servers = yield* findServers({ program: "redis-server", argument: join(dir, "redis", "redis.conf") })
        assert.equal(servers.length, 1)
        const isFirst = (_: unknown, index: number) => reports[index]?.joined === false
        const first = processes.find(isFirst) ?? assert.fail("no process owns the directory")
        const joiners = processes.filter((each) => each !== first)
        const { databaseUrl, redisUrl } = reports[0] ?? assert.fail()
        yield* query(databaseUrl, "create table kept as select 1 as one")
        const areBack = succeeds(Effect.all([query(databaseUrl, "select one from kept"), redisCall(redisUrl, "PING")]))

        yield* first.end("SIGKILL")
        yield* eventually(
          "one of the two took over",
          Effect.sync(() => joiners.some(({ lines }) => takeovers(lines) === 1)),
        )
        yield* eventually("the stores are back where they were", areBack)
        assert.equal(takeovers(joiners.flatMap(({ lines }) => lines)), 1)

        const heir = joiners.find(({ lines }) => takeovers(lines) === 1) ?? assert.fail()
        const other = joiners.find((each) => each !== heir) ?? assert.fail()
        yield* heir.end("SIGTERM")
        yield* eventually(
          "the other took over",
          Effect.sync(() => takeovers(other.lines) === 1),
        )
        yield* eventually("the stores are back again", areBack)
        const pids = [postgresPid(dir), yield* redisPid(redisUrl)]
        yield* other.end("SIGTERM")
        for (const pid of pids) assert.ok(yield* isGone(pid), `process ${pid} outlived the last one who used it`)
      }),
    { timeout },
  )

  it.live("a joined process explains what to do when another program has taken the port", () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDir
      const directory = yield* openDirectory(dir)
      const secrets = yield* ensureSecrets(directory)
      const stranger = createServer((socket) => socket.destroy())
      const port = yield* Effect.acquireRelease(
        Effect.promise(
          () =>
            new Promise<number>((resolve) => {
              stranger.listen(0, "127.0.0.1", () => {
                const address = stranger.address()
                resolve(typeof address === "object" && address !== null ? address.port : 0)
              })
            }),
        ),
        () => Effect.sync(() => stranger.close()),
      )
      const ownerScope = yield* Scope.make()
      const ownership = yield* claim(directory, { forMillis: 1_000 }).pipe(Scope.provide(ownerScope))
      assert.ok("announce" in ownership)
      yield* ownership.announce({ pid: 1, brief: false, postgres: null, redis: port }, secrets.owner)

      const logged: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      yield* Effect.provide(Stores.acquire(redisIn(dir)), logger)
      yield* Scope.close(ownerScope, Exit.void)
      yield* eventually(
        "it logs the problem",
        Effect.sync(() => logged.length > 0),
      )
      assert.match(
        logged[0] ?? "",
        new RegExp(`Redis.*port ${port}, which another program has taken: stop that program`),
      )
    }),
  )
})
