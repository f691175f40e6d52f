import { Effect, Schema } from "effect"
import { exitCodes } from "#src/platform/process/exitCodes.ts"

/** The files, or the request, cannot be used; nothing was written. */
export class FilesRefused extends Schema.TaggedError<FilesRefused>()("FilesRefused", { reason: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.reason
  }
}

/** A file or directory cannot be read or written. */
export class FilesUnavailable extends Schema.TaggedError<FilesUnavailable>()("FilesUnavailable", {
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.unexpected
  override get message() {
    return this.reason
  }
}

export const fileFormats = ["parquet", "csv"] as const
export type FileFormat = (typeof fileFormats)[number]

/** How far an export or import is, in blocks. */
export interface FilesProgress {
  readonly first: number
  readonly last: number
  readonly block: number
}

/** Shows progress under a label. */
export type ShowProgress = (label: string) => (reached: FilesProgress) => Effect.Effect<void>

export const showNothing: ShowProgress = () => () => Effect.void
