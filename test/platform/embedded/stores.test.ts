import assert from "node:assert/strict"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Redacted, Scope } from "effect"
import { openDirectory } from "#src/platform/embedded/directory.ts"
import { claim } from "#src/platform/embedded/Ownership.ts"
import { findServers } from "#src/platform/embedded/orphans.ts"
import * as Stores from "#src/platform/embedded/Stores.ts"
import {
  atTheSocketOf,
  embeddedIn,
  eventually,
  initialisedDir,
  isGone,
  ownerProcess,
  postgresPid,
  query,
  redisCall,
  redisPid,
  temporaryDir,
} from "./support/sandbox.ts"

const timeout = 600_000

describe("embedded stores", () => {
  it.live(
    "run once: a second process joins, and owns the same data when the first is gone",
    () =>
      Effect.gen(function* () {
        const dir = yield* initialisedDir
        assert.ok(Option.isNone(yield* Stores.peek(embeddedIn(dir))))
        const owner = yield* ownerProcess(dir)
        const theirs = yield* owner.report
        assert.equal(theirs.joined, false)

        yield* Effect.scoped(
          Effect.gen(function* () {
            const ours = yield* Stores.acquire(embeddedIn(dir))
            assert.equal(ours.joined, true)
            assert.deepEqual(ours.embedded, ["postgres", "redis"])
            assert.equal(Redacted.value(ours.databaseUrl), Redacted.value(theirs.databaseUrl))
            assert.equal(Redacted.value(ours.redisUrl), Redacted.value(theirs.redisUrl))
            yield* query(ours.databaseUrl, "create table kept as select 1 as one")
          }),
        )
        assert.deepEqual(yield* query(theirs.databaseUrl, "select one from kept"), [{ one: 1 }])
        assert.ok(Option.isSome(yield* Stores.peek(embeddedIn(dir))))

        yield* owner.end("SIGTERM")
        assert.ok(Option.isNone(yield* Stores.peek(embeddedIn(dir))))
        const ours = yield* Stores.acquire(embeddedIn(dir))
        assert.equal(ours.joined, false)
        assert.deepEqual(yield* query(ours.databaseUrl, "select one from kept"), [{ one: 1 }])
      }),
    { timeout },
  )

  it.live(
    "have exactly one owner when processes start at the same time",
    () =>
      Effect.gen(function* () {
        const dir = yield* temporaryDir
        const processes = yield* Effect.all([ownerProcess(dir), ownerProcess(dir), ownerProcess(dir)])
        const reports = yield* Effect.all(
          processes.map(({ report }) => report),
          { concurrency: 3 },
        )
        assert.equal(reports.filter(({ joined }) => !joined).length, 1)
        assert.equal(new Set(reports.map(({ databaseUrl }) => Redacted.value(databaseUrl))).size, 1)
        assert.equal(
          (yield* findServers({ program: "redis-server", argument: join(dir, "redis", "redis.conf") })).length,
          1,
        )
      }),
    { timeout },
  )

  it.live(
    "pass to a waiting process when the owner exits before they are ready",
    () =>
      Effect.gen(function* () {
        const dir = yield* initialisedDir
        const slowOwner = yield* Scope.make()
        yield* openDirectory(dir).pipe(
          Effect.flatMap((directory) => claim(directory, { forMillis: 1_000 })),
          Scope.provide(slowOwner),
        )
        const heir = yield* Effect.forkChild(Stores.acquire(embeddedIn(dir)))
        yield* eventually(
          "the heir waits at the owner's socket",
          Effect.sync(() => atTheSocketOf(dir) === 2),
        )
        yield* Scope.close(slowOwner, Exit.void)
        const stores = yield* Fiber.join(heir)
        assert.equal(stores.joined, false)
        assert.equal(yield* redisCall(stores.redisUrl, "PING"), "PONG")
      }),
    { timeout },
  )

  it.live("are refused from a process that holds the socket without the secrets", () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDir
      const ownership = yield* Effect.flatMap(openDirectory(dir), (directory) => claim(directory, { forMillis: 1_000 }))
      assert.ok("announce" in ownership)
      yield* ownership.announce({ pid: 1, brief: false, postgres: 1, redis: 1 }, Redacted.make("guessed"))
      const error = yield* Effect.flip(Stores.acquire(embeddedIn(dir)))
      assert.match(error.message, /does not know its secrets/)
    }),
  )

  it.live(
    "leave no server running when their process is killed",
    () =>
      Effect.gen(function* () {
        const dir = yield* initialisedDir
        const owner = yield* ownerProcess(dir)
        const { redisUrl } = yield* owner.report
        const pids = [postgresPid(dir), yield* redisPid(redisUrl)]
        yield* owner.end("SIGKILL")
        for (const pid of pids) yield* eventually(`process ${pid} is gone`, isGone(pid))
      }),
    { timeout },
  )

  it.live(
    "are separate from those of another directory",
    () =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([initialisedDir, temporaryDir])
        const [mine, yours] = yield* Effect.all([Stores.acquire(embeddedIn(one)), Stores.acquire(embeddedIn(other))], {
          concurrency: 2,
        })
        assert.deepEqual([mine.joined, yours.joined], [false, false])
        yield* query(mine.databaseUrl, "create table mine (id int)")
        yield* redisCall(mine.redisUrl, "SET", "mine", "1")
        assert.deepEqual(yield* query(yours.databaseUrl, "select to_regclass('mine') as found"), [{ found: null }])
        assert.equal(yield* redisCall(yours.redisUrl, "GET", "mine"), null)
        const crossed = Redacted.make(
          Redacted.value(mine.redisUrl).replace(/:\d+$/, `:${new URL(Redacted.value(yours.redisUrl)).port}`),
        )
        yield* Effect.flip(redisCall(crossed, "PING"))
      }),
    { timeout },
  )

  it.live("are only those without a configured URL", () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDir
      const given = Option.some(Redacted.make("postgres://elsewhere/db"))
      const stores = yield* Stores.acquire({ dir, databaseUrl: given, redisUrl: Option.none() })
      assert.deepEqual(stores.embedded, ["redis"])
      assert.equal(Redacted.value(stores.databaseUrl), "postgres://elsewhere/db")
      assert.equal(yield* redisCall(stores.redisUrl, "PING"), "PONG")
      const clash = yield* Effect.flip(Stores.acquire(embeddedIn(dir)))
      assert.match(clash.message, /DATABASE_URL/)

      const both = {
        dir: "/proc/no/such",
        databaseUrl: given,
        redisUrl: Option.some(Redacted.make("redis://elsewhere")),
      }
      assert.deepEqual((yield* Stores.acquire(both)).embedded, [])
    }),
  )
})
