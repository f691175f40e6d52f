export interface Rate {
  readonly fills: number
  readonly seconds: number
}

/** Presage's chain follower in a process of its own, on the venue at this address. */
export interface IngestSubject {
  /** Reads everything up to a block into the ledger. */
  readonly backfill: (url: string, head: number) => Promise<Rate & { readonly grownMegabytes: number }>
  /** Reads and understands about so many fills, and throws them away. */
  readonly readOnly: (url: string, fills: number) => Promise<Rate>
  /** Inserts about so many fills, and what belongs to them, into empty tables; all rows are made beforehand. */
  readonly insertOnly: (url: string, fills: number) => Promise<Rate>
}
