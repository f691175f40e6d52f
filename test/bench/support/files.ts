import type { Rate } from "./ingest.ts"

export interface ImportRate extends Rate {
  /** Of `seconds`: checking the files, and writing the facts with their indexes. */
  readonly checking: number
  readonly loading: number
  /** Not part of `seconds`. */
  readonly positions: number
  readonly grownMegabytes: number
}

/** Exports and imports of Presage in their own process. */
export interface FilesSubject {
  /** Fills the ledger from a node up to a block. */
  readonly follow: (url: string, head: number) => Promise<void>
  readonly exportTo: (directory: string) => Promise<Rate & { readonly bytes: number }>
  readonly importFrom: (url: string, directory: string) => Promise<ImportRate>
  /** Reads and checks the files, and discards the facts. */
  readonly readOnly: (directory: string) => Promise<Rate>
  /** COPY of the encoded rows of the files into the same tables, emptied and without the indexes that an import defers. */
  readonly copyOnly: (directory: string) => Promise<Rate>
  /** The same rows with INSERT … unnest, as the follower writes them. */
  readonly insertOnly: (directory: string) => Promise<Rate>
  /** The same rows of fills from a CSV file with psql. */
  readonly psqlCopy: (directory: string) => Promise<Rate>
}
