import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { PgClient } from "@effect/sql-pg"
import { Effect, Option, Redacted } from "effect"
import { Redis } from "ioredis"
import { inject } from "vitest"
import { hashOf } from "#src/platform/embedded/directory.ts"
import { isAlive } from "#src/platform/embedded/processes.ts"
import type { StoreOptions } from "#src/platform/embedded/Stores.ts"
import { poll } from "#src/platform/embedded/waiting.ts"
import { patient } from "#test/support/patience.ts"
import { quickNode } from "#test/support/processes/quickNode.ts"

/** A directory that is removed after the test. */
export const temporaryDir = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(process.env["PRESAGE_TEST_DIR"] ?? tmpdir(), "presage-test-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true })),
)

/** Making a database takes a second of processor time: it is made once, and the tests work on copies. */
export const initialisedDir = Effect.tap(temporaryDir, (dir) =>
  Effect.sync(() => execFileSync("cp", ["-a", `${inject("initialised")}/.`, dir])),
)

export const embeddedIn = (dir: string): StoreOptions => ({
  dir,
  databaseUrl: Option.none(),
  redisUrl: Option.none(),
})

/** The same without Postgres, which takes longer to start. */
export const redisIn = (dir: string): StoreOptions => ({
  ...embeddedIn(dir),
  databaseUrl: Option.some(Redacted.make("postgres://elsewhere/db")),
})

/** Number of processes that hold or are connected to the owner socket of the directory. */
export const atTheSocketOf = (dir: string) =>
  readFileSync("/proc/net/unix", "utf8").split(`@presage:${hashOf(dir)}`).length - 1

export const query = (url: Redacted.Redacted<string>, statement: string) =>
  PgClient.PgClient.use((sql) => sql.unsafe<Record<string, unknown>>(statement)).pipe(
    Effect.provide(PgClient.layer({ url })),
  )

export const redisCall = (url: Redacted.Redacted<string>, command: string, ...args: ReadonlyArray<string>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Redis(Redacted.value(url), { retryStrategy: null, lazyConnect: true })),
    (redis) =>
      Effect.tryPromise(() =>
        redis
          .on("error", () => undefined)
          .connect()
          .then(() => redis.call(command, ...args)),
      ),
    (redis) => Effect.sync(() => redis.disconnect()),
  )

export const postgresPid = (dir: string) =>
  Number(readFileSync(join(dir, "postgres", "postmaster.pid"), "utf8").split("\n")[0])

export const redisPid = (url: Redacted.Redacted<string>) =>
  Effect.map(redisCall(url, "INFO", "server"), (text) => Number(/process_id:(\d+)/.exec(String(text))?.[1]))

/** Waits for a condition; fails when the deadline passes first. */
export const eventually = <E, R>(what: string, check: Effect.Effect<boolean, E, R>, forMillis = 15_000) =>
  poll(
    Effect.map(check, (holds) => (holds ? true : undefined)),
    { forMillis: patient(forMillis) },
  ).pipe(Effect.flatMap((held) => (held ? Effect.void : Effect.die(new Error(`not within ${forMillis} ms: ${what}`)))))

export const isGone = (pid: number) => Effect.sync(() => !isAlive(pid))

interface Report {
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly joined: boolean
}

/** Another process that acquires the same directory; ends with the test at the latest. */
export const ownerProcess = (dir: string, ...args: ReadonlyArray<"brief">) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [join(import.meta.dirname, "owner.ts"), dir, ...args], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...quickNode },
      })
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      const lines: Array<string> = []
      const reported = new Promise<Report>((resolve, reject) => {
        const output = createInterface({ input: child.stdout })
        output.once("line", (line) => resolve(JSON.parse(line)))
        output.on("line", (line) => lines.push(line))
        child.once("exit", (code) => reject(new Error(`ended with ${code} before it had its stores`)))
      })
      // Not every test awaits the report.
      reported.catch(() => undefined)
      return {
        /** Output so far: its report, then its log lines. */
        lines,
        report: Effect.map(
          Effect.promise(() => reported),
          ({ databaseUrl, redisUrl, joined }) => ({
            databaseUrl: Redacted.make(databaseUrl),
            redisUrl: Redacted.make(redisUrl),
            joined,
          }),
        ),
        end: (signal: NodeJS.Signals) =>
          Effect.promise(() => {
            child.kill(signal)
            return ended
          }),
      }
    }),
    ({ end }) => end("SIGTERM"),
  )
