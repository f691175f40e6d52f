import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { basename, join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findServers } from "#src/platform/embedded/orphans.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import { redisCall, temporaryDir } from "./support/sandbox.ts"

const canUnshare = spawnSync("unshare", ["-rm", "true"]).status === 0

/** An idle process with `argument` among its arguments. */
const idleProcess = (argument: string, ...prefix: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const command = [...prefix, process.execPath, "-e", "console.log('up'); setInterval(() => {}, 1000)", argument]
      const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "pipe", "inherit"] })
      const up = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
      return { child, up }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL")),
  ).pipe(Effect.tap(({ up }) => Effect.promise(() => up)))

describe("findServers", () => {
  it.live("ignores the Redis of another instance whose path has the same ending", () =>
    Effect.gen(function* () {
      const ours = join(yield* temporaryDir, "f1")
      const theirs = join(yield* temporaryDir, ours)
      const other = yield* startRedis({ dir: theirs, supervise: false })
      const pid = yield* other.pid
      const own = yield* startRedis({ dir: ours, supervise: false })
      assert.equal(yield* redisCall(own.url, "PING"), "PONG")
      assert.equal(yield* redisCall(other.url, "PING"), "PONG")
      assert.deepEqual(yield* findServers({ program: "redis-server", argument: join(theirs, "redis", "redis.conf") }), [
        pid,
      ])
    }),
  )

  it.live("finds a process by its exact argument, not by a part of it", () =>
    Effect.gen(function* () {
      const argument = join(yield* temporaryDir, "redis.conf")
      const { child } = yield* idleProcess(argument)
      yield* idleProcess(`/elsewhere${argument}`)
      yield* idleProcess(`${argument}.draft`)
      assert.deepEqual(yield* findServers({ program: basename(process.execPath), argument }), [child.pid])
      assert.deepEqual(yield* findServers({ program: "redis-server", argument }), [])
    }),
  )

  it.live.skipIf(!canUnshare)("ignores a process of another container, where the same paths are other files", () =>
    Effect.gen(function* () {
      const argument = join(yield* temporaryDir, "redis.conf")
      const { child } = yield* idleProcess(argument)
      yield* idleProcess(argument, "unshare", "-rm")
      assert.deepEqual(yield* findServers({ program: basename(process.execPath), argument }), [child.pid])
    }),
  )
})
