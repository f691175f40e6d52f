import { existsSync, readdirSync, statfsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"

/** The closest existing ancestor of a path that may not exist yet. */
export const existingAncestor = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : existingAncestor(dirname(path))

/** Bytes that this user may still write on the disk of a path. */
export const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(existingAncestor(path))
  return bavail * bsize
}

/** Bytes of all files in a directory; 0 if it does not exist. Files may disappear meanwhile. */
export const sizeOf = (path: string): number => {
  if (!existsSync(path)) return 0
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
}
