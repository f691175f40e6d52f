import { execFileSync } from "node:child_process"
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { startHome } from "./home.ts"

const size = "900m"
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

/** An instance whose directory is a small disk in memory, which needs root. */
export const startOnSmallDisk = (seed: number) =>
  Effect.gen(function* () {
    const dir = yield* temporaryDir
    yield* Effect.acquireRelease(
      Effect.sync(() => execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "presage-faults", dir])),
      () => Effect.sync(() => execFileSync("umount", ["--lazy", dir])),
    )
    const filler = join(dir, "filler")
    return {
      ...(yield* startHome(seed, dir)),
      /** Takes all room, also what becomes free meanwhile. */
      fillDisk: Effect.sync(() => fill(filler)),
      freeDisk: Effect.sync(() => rmSync(filler, { force: true })),
    }
  })

export type OnSmallDisk = Effect.Success<ReturnType<typeof startOnSmallDisk>>
