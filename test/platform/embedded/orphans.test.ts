import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { basename, join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findServers } from "#src/platform/embedded/orphans.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import { redisCall, temporaryDir } from "./support/sandbox.ts"

const canUnshare = spawnSync("unshare", ["-rm", "true"]).status === 0

/** A process that waits and has `mark` among its arguments. */
const marked = (mark: string, ...prefix: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const command = [...prefix, process.execPath, "-e", "console.log('up'); setInterval(() => {}, 1000)", mark]
      const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "pipe", "inherit"] })
      const up = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
      return { child, up }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL")),
  ).pipe(Effect.tap(({ up }) => Effect.promise(() => up)))

describe("what an earlier run left behind", () => {
  it.live("is not the Redis of another instance whose path ends like ours", () =>
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

  it.live("is a process with exactly our argument, not one that merely mentions it", () =>
    Effect.gen(function* () {
      const mark = join(yield* temporaryDir, "redis.conf")
      const { child } = yield* marked(mark)
      yield* marked(`/elsewhere${mark}`)
      yield* marked(`${mark}.draft`)
      assert.deepEqual(yield* findServers({ program: basename(process.execPath), argument: mark }), [child.pid])
      assert.deepEqual(yield* findServers({ program: "redis-server", argument: mark }), [])
    }),
  )

  it.live.skipIf(!canUnshare)("is not a process of another container, which has the same paths but other files", () =>
    Effect.gen(function* () {
      const mark = join(yield* temporaryDir, "redis.conf")
      const { child } = yield* marked(mark)
      yield* marked(mark, "unshare", "-rm")
      assert.deepEqual(yield* findServers({ program: basename(process.execPath), argument: mark }), [child.pid])
    }),
  )
})
