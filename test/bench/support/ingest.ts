/** Presage's chain follower in a process of its own. */
export interface IngestSubject {
  /** Reads everything up to a block from the venue at this address. */
  readonly backfill: (
    url: string,
    head: number,
  ) => Promise<{ readonly fills: number; readonly seconds: number; readonly grownMegabytes: number }>
}
