import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf, fromFileError, StoreUnavailable } from "./StoreUnavailable.ts"

class MkdirFailed {
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

/** Node's recursive mkdir loops forever where a file system returns ENOENT below an existing parent, as /proc does. */
export const makeDirectory = async (path: string, mode: number): Promise<void> => {
  const once = () =>
    mkdir(path, { mode }).catch(async (cause: unknown) => {
      if (!(await isDirectory(path))) throw new MkdirFailed(path, cause)
    })
  try {
    await once()
  } catch (failure) {
    const parent = dirname(path)
    if (!(failure instanceof MkdirFailed) || codeOf(failure.cause) !== "ENOENT" || parent === path) throw failure
    await makeDirectory(parent, mode)
    await once()
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: "is not a directory",
  ENOTDIR: "is below a file that is not a directory",
  ENOENT: "cannot be created there",
  EACCES: "cannot be created or used by this user",
  EPERM: "cannot be created or used by this user",
  EROFS: "is on a read-only disk",
  ENAMETOOLONG: "has a name that is too long",
  ELOOP: "is a link to itself",
}

/** Explains why PRESAGE_DIR cannot be used. */
export const explainDirectory =
  (path: string) =>
  (failure: unknown): StoreUnavailable => {
    const { path: at, cause } = failure instanceof MkdirFailed ? failure : { path, cause: failure }
    const reason = reasons[codeOf(cause)]
    if (reason === undefined) return fromFileError("directory", at)(cause)
    return new StoreUnavailable({
      store: "directory",
      message: `PRESAGE_DIR is ${path}, but ${at === path ? "that" : at} ${reason}: set PRESAGE_DIR to a directory that this user can create or write.`,
    })
  }
