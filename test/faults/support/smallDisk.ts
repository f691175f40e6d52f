import { execFileSync } from "node:child_process"
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { startHome } from "./home.ts"
import { startService } from "./service.ts"

const sizes = { everything: "900m", postgres: "900m", redis: "200m" }
const piece = Buffer.alloc(1 << 16)

/** Writes until there is no room; returns whether it wrote anything. */
const fill = (path: string): boolean => {
  const file = openSync(path, "a")
  let wrote = false
  try {
    for (let length = piece.length; length > 0; ) {
      try {
        if (writeSync(file, piece, 0, length) > 0) wrote = true
        else length = 0
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
        length = length >> 4
      }
    }
    return wrote
  } finally {
    closeSync(file)
  }
}

/** A directory that is a small disk in memory, which needs root. */
const makeDisk = (size: string) =>
  Effect.gen(function* () {
    const dir = yield* temporaryDir
    yield* Effect.acquireRelease(
      Effect.sync(() => execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "presage-faults", dir])),
      () => Effect.sync(() => execFileSync("umount", ["--lazy", dir])),
    )
    const filler = join(dir, "filler")
    return {
      dir,
      /** Takes all room, also what becomes free meanwhile. */
      fillDisk: Effect.sync(() => fill(filler)),
      freeDisk: Effect.sync(() => rmSync(filler, { force: true })),
    }
  })

export type Disk = Effect.Success<ReturnType<typeof makeDisk>>

/** An instance whose directory is a small disk. */
export const startOnSmallDisk = (seed: number) =>
  Effect.gen(function* () {
    const disk = yield* makeDisk(sizes.everything)
    return { ...(yield* startHome(seed, disk.dir)), disk }
  })

export type OnSmallDisk = Effect.Success<ReturnType<typeof startOnSmallDisk>>

/** A service whose stores have a small disk each. */
export const startOnStoreDisks = (seed: number) =>
  Effect.gen(function* () {
    const disks = { postgres: yield* makeDisk(sizes.postgres), redis: yield* makeDisk(sizes.redis) }
    const dirs = { postgres: disks.postgres.dir, redis: disks.redis.dir }
    // A server that has no room ends by itself.
    return { ...(yield* startService(seed, {}, { dirs, supervise: true })), disks }
  })

export type OnStoreDisks = Effect.Success<ReturnType<typeof startOnStoreDisks>>
