import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync } from "node:fs"
import { join, relative } from "node:path"
import { Effect } from "effect"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"

const root = join(import.meta.dirname, "..", "..", "..")

/** A commit of each released version in which every module is there: the next ones changed version in several steps. */
export const releases = { "0.1.0": "86d0a5e4", "0.2.0": "40739642" }
export type Release = keyof typeof releases

/** Unpacks a released version; returns the path of its program from the root of this checkout. */
export const unpack = (release: Release) =>
  Effect.gen(function* () {
    const dir = join(yield* temporaryDir, release)
    return yield* Effect.sync(() => {
      mkdirSync(dir)
      const archive = execFileSync("git", ["archive", releases[release]], { cwd: root, maxBuffer: 1 << 28 })
      execFileSync("tar", ["-x", "-C", dir], { input: archive })
      // The versions of what matters are the same.
      symlinkSync(join(root, "node_modules"), join(dir, "node_modules"))
      return relative(root, join(dir, "src", "main.ts"))
    })
  })
