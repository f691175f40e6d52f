import { existsSync, mkdtempSync, rmdirSync, statfsSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { explainDirectory } from "#src/platform/embedded/makeDirectory.ts"
import { type Finding, fail, ok } from "./Finding.ts"

/** What is there already of a path that is still to be made. */
const nearest = (path: string): string => (existsSync(path) || dirname(path) === path ? path : nearest(dirname(path)))

const neededMegabytes = 2000

const disk = (path: string): Finding => {
  try {
    const at = statfsSync(nearest(path))
    const free = Math.round((at.bavail * at.bsize) / 1_000_000)
    return free >= neededMegabytes
      ? ok("disk", `${free} MB free at ${path}`)
      : fail("disk", `${free} MB free at ${path}`, "free at least 2 GB, or put PRESAGE_DIR on another disk")
  } catch (cause) {
    return fail("disk", explainDirectory(path)(cause).message)
  }
}

/** Tried by doing: permission bits do not know of read-only disks, or of /proc. */
const writable = (path: string): Finding => {
  const there = nearest(path)
  try {
    if (!statSync(there).isDirectory())
      throw Object.assign(new Error(), { code: there === path ? "EEXIST" : "ENOTDIR" })
    rmdirSync(mkdtempSync(join(there, ".presage-doctor-")))
    return ok("directory", there === path ? `${path} is writable` : `${path} can be made`)
  } catch (cause) {
    return fail("directory", explainDirectory(path)(cause).message)
  }
}

/** The directory of the embedded stores, whether it exists yet or not. */
export const directoryFindings = (dir: string, isNeeded: boolean): ReadonlyArray<Finding> =>
  isNeeded
    ? [disk(resolve(dir)), writable(resolve(dir))]
    : [ok("directory", "not needed: DATABASE_URL and REDIS_URL are given")]
