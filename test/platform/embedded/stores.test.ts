import assert from "node:assert/strict"
import { layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Option, Redacted, Scope } from "effect"
import { openDirectory } from "#src/platform/embedded/directory.ts"
import { claim } from "#src/platform/embedded/Ownership.ts"
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
  redisIn,
  redisPid,
  temporaryDir,
} from "./support/sandbox.ts"

const timeout = 600_000

/** One directory with a database for all tests: to copy one takes a second of processor time. */
class Directory extends Context.Service<Directory, string>()("test/platform/embedded/stores/Directory") {
  static readonly layer = Layer.effect(Directory, initialisedDir)
}

layer(Directory.layer, { excludeTestServices: true })("embedded stores", (it) => {
  it.effect(
    "run once: a second process joins, and owns the same data when the first is gone",
    () =>
      Effect.gen(function* () {
        const dir = yield* Directory
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

  it.effect(
    "pass to a waiting process when the owner exits before they are ready",
    () =>
      Effect.gen(function* () {
        const dir = yield* temporaryDir
        const slowOwner = yield* Scope.make()
        yield* openDirectory(dir).pipe(
          Effect.flatMap((directory) => claim(directory, { forMillis: 1_000 })),
          Scope.provide(slowOwner),
        )
        const heir = yield* Effect.forkChild(Stores.acquire(redisIn(dir)))
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

  it.effect("are refused from a process that holds the socket without the secrets", () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDir
      const ownership = yield* Effect.flatMap(openDirectory(dir), (directory) => claim(directory, { forMillis: 1_000 }))
      assert.ok("announce" in ownership)
      yield* ownership.announce({ pid: 1, brief: false, postgres: 1, redis: 1 }, Redacted.make("guessed"))
      const error = yield* Effect.flip(Stores.acquire(embeddedIn(dir)))
      assert.match(error.message, /does not know its secrets/)
    }),
  )

  it.effect(
    "leave no server running when their process is killed",
    () =>
      Effect.gen(function* () {
        const dir = yield* Directory
        const owner = yield* ownerProcess(dir)
        const { redisUrl } = yield* owner.report
        const pids = [postgresPid(dir), yield* redisPid(redisUrl)]
        yield* owner.end("SIGKILL")
        for (const pid of pids) yield* eventually(`process ${pid} is gone`, isGone(pid))
      }),
    { timeout },
  )

  it.effect(
    "are separate from those of another directory",
    () =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([Directory, temporaryDir])
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

  it.effect("are only those without a configured URL", () =>
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
