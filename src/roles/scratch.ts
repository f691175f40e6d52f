import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"

/** A directory for stores that are deleted at the end. */
export const scratchDirectory = (parent: string, name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => join(parent, `${name}-${process.pid}`)),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  )
