export interface Rate {
  readonly fills: number
  readonly seconds: number
}

/** Presage's chain follower in its own process, reading from the venue at `url`. */
export interface IngestSubject {
  /** Ingests the chain up to a block into the ledger. */
  readonly backfill: (url: string, head: number) => Promise<Rate & { readonly grownMegabytes: number }>
  /** Reads and decodes about this many fills, and discards them. */
  readonly readOnly: (url: string, fills: number) => Promise<Rate>
  /** Inserts prepared rows of about this many fills into empty tables. */
  readonly insertOnly: (url: string, fills: number) => Promise<Rate>
}
