import assert from "node:assert/strict"
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import { eventually, isGone, postgresPid, query, redisCall, redisPid, temporaryDir } from "./support/sandbox.ts"

const timeout = 600_000

/** One directory for all tests: to make or to copy a database takes a second of processor time. */
class Directory extends Context.Service<Directory, string>()("test/platform/embedded/servers/Directory") {
  static readonly layer = Layer.effect(
    Directory,
    Effect.map(temporaryDir, (parent) => {
      mkdirSync(join(parent, "closed", "with space"), { recursive: true, mode: 0o700 })
      return join(parent, "closed", "with space", "stores")
    }),
  )
}

const passwordOf = (url: Redacted.Redacted<string>) => new URL(Redacted.value(url)).password

layer(Directory.layer, { excludeTestServices: true })("embedded Postgres", (it) => {
  it.effect(
    "works below a directory that no other user can enter, keeps its data across a restart and refuses other passwords",
    () =>
      Effect.gen(function* () {
        const dir = yield* Directory
        const first = yield* Effect.scoped(
          Effect.gen(function* () {
            const [{ url, pid }, redis] = yield* Effect.all(
              [startPostgres({ dir, durable: false }), startRedis({ dir })],
              {
                concurrency: 2,
              },
            )
            assert.equal(yield* redisCall(redis.url, "PING"), "PONG")
            yield* query(url, "create table kept as select 42 as answer")
            const wrong = Redacted.make(Redacted.value(url).replace(/:[0-9a-f]+@/, ":guess@"))
            const refused = yield* Effect.flip(query(wrong, "select 1"))
            assert.match(String(refused.cause ?? refused), /authentication|password/i)
            return yield* pid
          }),
        )
        assert.ok(first !== undefined && (yield* isGone(first)), "the scope left the server running")

        const { url } = yield* startPostgres({ dir, durable: false })
        assert.deepEqual(yield* query(url, "select answer from kept"), [{ answer: 42 }])
        const [settings] = yield* query(
          url,
          "select current_database() as name, pg_encoding_to_char(encoding) as encoding, lower('ÄÉ') as lowered from pg_database where datname = current_database()",
        )
        assert.deepEqual(settings, { name: "presage", encoding: "UTF8", lowered: "äé" })
        assert.equal(statSync(join(dir, "secrets.json")).mode & 0o777, 0o600)
      }),
    { timeout },
  )

  it.effect(
    "stops and resumes with all its child processes, and restarts on the same port and data after SIGKILL, manually or supervised",
    () =>
      Effect.gen(function* () {
        const dir = yield* Directory
        const server = yield* startPostgres({ dir, durable: false, supervise: false })
        yield* server.signal("SIGSTOP")
        const silent = yield* query(server.url, "select 1").pipe(Effect.timeoutOption("200 millis"))
        assert.equal(silent._tag, "None")
        yield* server.signal("SIGCONT")
        yield* query(server.url, "create table survived as select 1 as one")
        yield* server.kill
        assert.equal(yield* server.pid, undefined)
        yield* server.start
        assert.deepEqual(yield* query(server.url, "select one from survived"), [{ one: 1 }])
        yield* server.stop

        const supervised = yield* startPostgres({ dir, durable: false, port: server.port })
        const before = yield* supervised.pid
        process.kill(before ?? 0, "SIGKILL")
        yield* eventually(
          "a new process answers",
          Effect.gen(function* () {
            const now = yield* supervised.pid
            if (now === undefined || now === before) return false
            return yield* query(server.url, "select one from survived").pipe(
              Effect.as(true),
              Effect.orElseSucceed(() => false),
            )
          }),
        )
      }),
    { timeout },
  )

  it.effect(
    "starts after a power failure that left a lock with a foreign pid and a partial database",
    () =>
      Effect.gen(function* () {
        const dir = yield* Directory
        const stranger = `${process.pid}\n${join(dir, "postgres")}\n1700000000\n5432\n\n127.0.0.1\n  1  1\nready\n`
        writeFileSync(join(dir, "postgres", "postmaster.pid"), stranger)
        mkdirSync(join(dir, "postgres.draft-dead"))
        const { url } = yield* startPostgres({ dir, durable: false })
        assert.deepEqual(yield* query(url, "select 1 as one"), [{ one: 1 }])
        assert.notEqual(postgresPid(dir), process.pid)
        assert.deepEqual(
          readdirSync(dir).filter((name) => name.includes("draft")),
          [],
        )
      }),
    { timeout },
  )

  it.effect(
    "takes a new password when the secrets were lost",
    () =>
      Effect.gen(function* () {
        const dir = yield* Directory
        const secrets = join(dir, "secrets.json")
        const before = readFileSync(secrets, "utf8")
        rmSync(secrets)
        const { url } = yield* startPostgres({ dir, durable: false })
        assert.ok(readFileSync(secrets, "utf8").includes(passwordOf(url)))
        assert.ok(!before.includes(passwordOf(url)), "the password is the old one")
        assert.deepEqual(yield* query(url, "select 1 as one"), [{ one: 1 }])
      }),
    { timeout },
  )

  it.effect("explains what to do about data of another major version or of another kind", () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDir
      mkdirSync(join(dir, "postgres"))
      writeFileSync(join(dir, "postgres", "notes.txt"), "mine")
      const foreign = yield* Effect.flip(startPostgres({ dir }))
      assert.match(foreign.message, /contains something other.*move it away/)
      writeFileSync(join(dir, "postgres", "PG_VERSION"), "12\n")
      const old = yield* Effect.flip(startPostgres({ dir }))
      assert.match(old.message, /Postgres 12.*Postgres 18.*DATABASE_URL/)
    }),
  )
})

describe("embedded Redis", () => {
  it.live(
    "appends every write, evicts nothing, and restarts on the same port and data after SIGKILL",
    () =>
      Effect.gen(function* () {
        const dir = yield* temporaryDir
        const server = yield* startRedis({ dir, config: { appendfsync: "always" } })
        assert.deepEqual(yield* redisCall(server.url, "CONFIG", "GET", "appendonly"), ["appendonly", "yes"])
        assert.deepEqual(yield* redisCall(server.url, "CONFIG", "GET", "maxmemory-policy"), [
          "maxmemory-policy",
          "noeviction",
        ])
        assert.deepEqual(yield* redisCall(server.url, "CONFIG", "GET", "save"), ["save", ""])
        yield* redisCall(server.url, "SET", "kept", "42")
        const before = yield* redisPid(server.url)
        const commandLine = readFileSync(`/proc/${before}/cmdline`, "utf8")
        assert.ok(!commandLine.includes(Redacted.value(server.url).split(/[:@]/)[2] ?? ""), "the password is public")

        process.kill(before, "SIGKILL")
        yield* eventually(
          "a new process has the key",
          redisCall(server.url, "GET", "kept").pipe(
            Effect.map((value) => value === "42"),
            Effect.orElseSucceed(() => false),
          ),
        )
        assert.notEqual(yield* redisPid(server.url), before)
      }),
    { timeout },
  )

  it.live("loads an append-only file that is cut off within a command", () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDir
      yield* Effect.scoped(Effect.flatMap(startRedis({ dir }), ({ url }) => redisCall(url, "SET", "kept", "42")))
      const folder = join(dir, "redis", "appendonlydir")
      const increment = readdirSync(folder).find((name) => name.endsWith(".incr.aof")) ?? ""
      appendFileSync(join(folder, increment), "*3\r\n$3\r\nSET\r\n$4\r\nto")
      const { url } = yield* startRedis({ dir })
      assert.equal(yield* redisCall(url, "GET", "kept"), "42")
    }),
  )

  it.live("starts empty when its data is unreadable, and keeps the old data", () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDir
      yield* Effect.scoped(Effect.flatMap(startRedis({ dir }), ({ url }) => redisCall(url, "SET", "lost", "42")))
      const folder = join(dir, "redis", "appendonlydir")
      const increment = readdirSync(folder).find((name) => name.endsWith(".incr.aof")) ?? ""
      writeFileSync(join(folder, increment), "not a command\r\n".repeat(20))
      const { url } = yield* startRedis({ dir })
      assert.equal(yield* redisCall(url, "GET", "lost"), null)
      assert.ok(readdirSync(join(dir, "redis")).some((name) => name.startsWith("appendonlydir.broken-")))
    }),
  )
})
