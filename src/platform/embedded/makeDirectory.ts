import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf, fromFileError, StoreUnavailable } from "./StoreUnavailable.ts"

class Refused {
  readonly path: string
  readonly cause: unknown
  constructor(path: string, cause: unknown) {
    this.path = path
    this.cause = cause
  }
}

const isDirectory = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** Node's own recursive mkdir spins for ever where a file system answers ENOENT below an existing parent, as /proc does. */
export const makeDirectory = async (path: string, mode: number): Promise<void> => {
  const once = () =>
    mkdir(path, { mode }).catch(async (cause: unknown) => {
      if (!(await isDirectory(path))) throw new Refused(path, cause)
    })
  try {
    await once()
  } catch (refused) {
    const parent = dirname(path)
    if (!(refused instanceof Refused) || codeOf(refused.cause) !== "ENOENT" || parent === path) throw refused
    await makeDirectory(parent, mode)
    await once()
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: "is not a directory",
  ENOTDIR: "is below something that is not a directory",
  ENOENT: "cannot be made there",
  EACCES: "may not be made or used by this user",
  EPERM: "may not be made or used by this user",
  EROFS: "is on a disk that is read-only",
  ENAMETOOLONG: "has too long a name",
  ELOOP: "is a link that leads to itself",
}

/** Why PRESAGE_DIR cannot be had, and what to do. */
export const explainDirectory =
  (path: string) =>
  (failure: unknown): StoreUnavailable => {
    const { path: at, cause } = failure instanceof Refused ? failure : { path, cause: failure }
    const reason = reasons[codeOf(cause)]
    if (reason === undefined) return fromFileError("directory", at)(cause)
    return new StoreUnavailable({
      store: "directory",
      message: `PRESAGE_DIR is ${path}, but ${at === path ? "that" : at} ${reason}: set PRESAGE_DIR to a directory that this user can make or write.`,
    })
  }
