import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import type { Finding } from "#src/cli/doctor/Finding.ts"
import { judgePostgres, judgeRedis } from "#src/cli/doctor/stores.ts"
import { examine } from "#src/cli/doctor.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import { allSettings } from "#src/roles/settings.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { quickNode } from "#test/support/processes/quickNode.ts"

/** Longer than the timeout of a check, shorter than that of a starting service. */
const promptMillis = 6_000

const given = () => ({ DATABASE_URL: inject("databaseUrl"), REDIS_URL: inject("redisUrl"), PORT: "0", WS_PORT: "0" })

const examined = (env: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.provide(
      examine,
      Configuration.layer({ declared: allSettings, file: { path: "", values: {} }, env, flags: {} }),
    ),
    (findings) => (check: string) => findings.find((finding) => finding.check === check) as Finding,
  )

const listening = <S extends Server>(make: () => S) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ server: S; port: string }>((resolve) => {
          const server = make()
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resolve({ server, port: String(typeof address === "object" ? address?.port : 0) })
          })
        }),
    ),
    ({ server }) => Effect.sync(() => server.close()),
  ).pipe(Effect.map(({ port }) => port))

const answering = (body: string) => listening(() => createHttpServer((_, response) => response.end(body)))

/** Accepts connections and never answers, like a frozen server. */
const silent = Effect.gen(function* () {
  const sockets = new Set<Socket>()
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => void socket.destroy())))
  return yield* listening(() => createServer((socket) => void sockets.add(socket)))
})

/** A directory on a disk that is far smaller than the real venue's history. */
const smallDisk = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "presage-doctor-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true })),
)

const talkative = listening(() => createServer((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")))

const run = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => presage(env, "doctor", ...args)

const presage = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
        const output = { out: "", err: "" }
        const child = spawn(process.execPath, ["src/main.ts", ...args], {
          env: { ...process.env, ...quickNode, ...env },
        })
        child.stdout.on("data", (chunk) => {
          output.out += chunk
        })
        child.stderr.on("data", (chunk) => {
          output.err += chunk
        })
        child.once("close", (code) => resolve({ code, ...output }))
      }),
  )

describe.concurrent("presage doctor", () => {
  it.live("does not mistake another program's port for that of the running instance", () =>
    Effect.gen(function* () {
      const [presage, stranger, mute] = yield* Effect.all([answering('{"status":"ok"}'), answering("<html>"), silent])
      const strangers = yield* examined({ ...given(), HOST: "127.0.0.1", PORT: stranger, WS_PORT: mute })
      assert.equal(strangers("port").state, "fail")
      assert.match(strangers("port").advice ?? "", /stop it, or choose another port with PORT/)
      assert.equal(strangers("ws.port").state, "fail")
      const ours = yield* examined({ ...given(), HOST: "127.0.0.1", PORT: presage })
      assert.deepEqual([ours("port").state, ours("port").detail], ["ok", `${presage} is in use by a running Presage`])
    }),
  )

  it.live("names HOST, not the port, when listening on that address fails", () =>
    Effect.gen(function* () {
      const found = yield* examined({ ...given(), HOST: "192.0.2.1", PORT: "18999" })
      assert.equal(found("port").state, "fail")
      assert.match(found("port").advice ?? "", /HOST/)
    }),
  )

  it.live(
    "reports within seconds why a store is unreachable, without its password",
    () =>
      Effect.gen(function* () {
        const [deaf, http] = yield* Effect.all([silent, talkative])
        const postgres = (port: string) => `postgres://me:hush@127.0.0.1:${port}/db`
        const redis = (port: string) => `redis://:hush@127.0.0.1:${port}`
        const wrong = (url: string) => url.replace(/:[0-9a-f]+@/, ":hush@")
        const [closed, frozen, stranger, refused, nowhere] = yield* Effect.all(
          [
            examined({ ...given(), DATABASE_URL: postgres("1"), REDIS_URL: redis("1") }),
            examined({ ...given(), DATABASE_URL: postgres(deaf), REDIS_URL: redis(deaf) }),
            examined({ ...given(), DATABASE_URL: postgres(http), REDIS_URL: redis(http) }),
            examined({ ...given(), DATABASE_URL: wrong(inject("databaseUrl")), REDIS_URL: wrong(inject("redisUrl")) }),
            examined({ ...given(), DATABASE_URL: "postgres://me:hush@no.host.invalid/db", REDIS_URL: redis("1") }),
          ],
          { concurrency: "unbounded" },
        )
        assert.match(closed("postgres").detail, /127\.0\.0\.1:1: .*ECONNREFUSED/)
        assert.match(closed("redis").detail, /127\.0\.0\.1:1: .*ECONNREFUSED/)
        assert.match(frozen("postgres").detail, /timed out|no answer within/)
        assert.match(frozen("redis").detail, /no answer within|timed out/)
        assert.match(stranger("postgres").detail, /not Postgres/)
        assert.match(stranger("redis").detail, /not Redis/)
        assert.match(refused("postgres").detail, /password authentication failed.*28P01/)
        assert.match(refused("redis").detail, /WRONGPASS/)
        assert.match(nowhere("postgres").detail, /no\.host\.invalid:5432: .*(ENOTFOUND|EAI_AGAIN)/)
        for (const each of [closed, frozen, stranger, refused, nowhere]) {
          for (const store of ["postgres", "redis"]) {
            assert.equal(each(store).state, "fail")
            assert.match(each(store).advice ?? "", /DATABASE_URL|REDIS_URL/)
            assert.ok(!JSON.stringify(each(store)).includes("hush"))
          }
        }
      }),
    promptMillis,
  )

  it.live("checks a directory whose parents are missing, and leaves nothing there", () =>
    Effect.gen(function* () {
      const parent = yield* temporaryDir
      const { DATABASE_URL: _, ...embedded } = given()
      const found = yield* examined({ ...embedded, PRESAGE_DIR: join(parent, "not", "yet", "there") })
      assert.equal(found("disk").state, "ok")
      assert.match(found("directory").detail, /can be created/)
      assert.deepEqual(found("postgres").detail, "embedded, not running; 'presage start' starts it")
      assert.match((yield* examined({ ...embedded, PRESAGE_DIR: parent }))("directory").detail, /is writable/)
    }),
  )

  it.live("reports a directory that cannot be created or written", () =>
    Effect.gen(function* () {
      const parent = yield* temporaryDir
      writeFileSync(join(parent, "file"), "")
      const { DATABASE_URL: _, ...embedded } = given()
      for (const dir of [join(parent, "file"), join(parent, "file", "below"), "/proc/presage"]) {
        const found = yield* examined({ ...embedded, PRESAGE_DIR: dir })
        assert.equal(found("directory").state, "fail")
        assert.match(found("directory").detail, /PRESAGE_DIR/)
      }
      assert.equal((yield* examined({ ...given(), PRESAGE_DIR: "/proc/presage" }))("directory").state, "ok")
    }),
  )

  it.live("computes the disk that the history needs, and a start refuses with the same words if it does not fit", () =>
    Effect.gen(function* () {
      const dir = yield* smallDisk
      const { DATABASE_URL, ...embedded } = given()
      const venue = { UPSTREAM: "polymarket", UPSTREAM_RPC_URL: "http://127.0.0.1:1" }
      const whole = { ...embedded, ...venue, PRESAGE_DIR: dir, LEDGER_HISTORY: "all" }
      const history = (yield* examined(whole))("history")
      assert.equal(history.state, "fail")
      assert.match(history.detail, /^LEDGER_HISTORY=all needs about 1300 GB, and [\d.]+ GB are free at \//)
      assert.match(history.advice ?? "", /LEDGER_HISTORY.*PRESAGE_DIR.*LEDGER_DISK_CHECK=off/)
      assert.equal((yield* examined({ ...whole, LEDGER_DISK_CHECK: "off" }))("history").state, "warn")
      assert.equal((yield* examined({ ...whole, LEDGER_HISTORY: "none" }))("history").state, "ok")
      // What nobody asked for by name is shortened instead.
      const { LEDGER_HISTORY: _, ...unasked } = whole
      const fitting = (yield* examined(unasked))("history")
      assert.notEqual(fitting.state, "fail", fitting.detail)
      assert.match(fitting.detail, /^LEDGER_HISTORY=(none|\d+d) needs about [\d.]+ GB more/)
      const start = yield* presage(whole, "start")
      assert.equal(start.code, 3, start.out + start.err)
      const words = (text: string) => text.replace(/[\d.]+ GB are free/, "")
      assert.ok(
        words(start.out + start.err).includes(words(`${history.detail}: ${history.advice}`)),
        start.out + start.err,
      )

      const elsewhere = (yield* examined({ ...whole, DATABASE_URL, LEDGER_HISTORY: "30d" }))("history")
      assert.equal(elsewhere.state, "ok")
      assert.match(elsewhere.detail, /needs about 67 GB.* DATABASE_URL, whose disk cannot be seen/)
    }),
  )

  it.live("warns about a Redis that evicts keys or does not persist", () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDir
      const config = { "maxmemory-policy": "allkeys-lru", appendonly: "no" }
      const { url } = yield* startRedis({ dir, config, supervise: false })
      const redis = (yield* examined({ ...given(), REDIS_URL: Redacted.value(url) }))("redis")
      assert.equal(redis.state, "warn")
      assert.match(redis.detail, /maxmemory-policy is allkeys-lru.*appendonly is no/)
      assert.match(redis.advice ?? "", /noeviction.*appendonly yes/)
    }),
  )

  it("refuses stores that are too old", () => {
    assert.equal(judgePostgres("db:5432", "14.11").state, "fail")
    assert.equal(judgePostgres("db:5432", "15.0").state, "ok")
    assert.equal(judgeRedis("cache:6379", "redis_version:6.2.1\r\n").state, "fail")
    assert.equal(judgeRedis("cache:6379", "redis_version:7.2.4\r\nvalkey_version:8.1.1\r\n").state, "ok")
  })

  it.live("prints only JSON on stdout, and exits with 0 or 1", () =>
    Effect.gen(function* () {
      const [well, ill] = yield* Effect.all(
        [run(given(), "--json"), run({ ...given(), REDIS_URL: "redis://:hush@127.0.0.1:1" }, "--json")],
        { concurrency: 2 },
      )
      assert.equal(well.code, 0, well.err)
      assert.equal(JSON.parse(well.out).ok, true)
      assert.equal(ill.code, 1, ill.err)
      const { ok, checks } = JSON.parse(ill.out)
      assert.equal(ok, false)
      assert.deepEqual(
        checks.filter(({ state }: Finding) => state === "fail").map(({ check }: Finding) => check),
        ["redis"],
      )
      assert.equal(ill.err, "presage: one check failed\n")
    }),
  )
})
