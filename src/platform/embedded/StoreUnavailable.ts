import { Schema } from "effect"
import { exitCodes } from "../process/exitCodes.ts"

/** An embedded store cannot run. The message tells the operator what happened and what to do. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  store: Schema.Literals(["postgres", "redis", "directory"]),
  message: Schema.String,
}) {
  readonly exitCode = exitCodes.storeUnavailable
}

export type Store = StoreUnavailable["store"]

export const codeOf = (cause: unknown) =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** Explains a file system failure. */
export const fromFileError =
  (store: Store, path: string) =>
  (cause: unknown): StoreUnavailable => {
    switch (codeOf(cause)) {
      case "ENOSPC":
      case "EDQUOT":
        return new StoreUnavailable({
          store,
          message: `The disk is full: free some space for ${path} and start again.`,
        })
      case "EACCES":
      case "EPERM":
      case "EROFS":
        return new StoreUnavailable({
          store,
          message: `This user cannot use ${path}: change its owner, or set PRESAGE_DIR to another directory.`,
        })
      default:
        return new StoreUnavailable({ store, message: `${path}: ${cause instanceof Error ? cause.message : cause}` })
    }
  }
