import type { FileValue } from "./fileTypes.ts"

export type Sink = (bytes: Uint8Array) => Promise<void>

/** Writes rows to a file of one format. */
export interface TableWriter {
  /** Values by column. */
  readonly write: (values: ReadonlyArray<Array<FileValue>>) => Promise<void>
  readonly finish: () => Promise<void>
}
