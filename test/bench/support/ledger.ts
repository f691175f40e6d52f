/** Builds a ledger from a venue, in its own process. */
export interface LedgerSubject {
  /** Reads the chain up to a block. */
  readonly follow: (url: string, head: number) => Promise<void>
  /** Deletes the older half of all facts, and positions not changed since. */
  readonly halve: () => Promise<void>
  /** Loads the whole catalogue as of this time. */
  readonly catalogue: (url: string, now: number) => Promise<void>
  /** Vacuums and analyzes, which gives the tables their steady state. */
  readonly vacuum: () => Promise<void>
  /** Reads blocks and writes their batches to a file. */
  readonly saveBlocks: (url: string, from: number, to: number, file: string) => Promise<void>
}
