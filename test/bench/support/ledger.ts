/** Makes a ledger from a venue, in a process of its own. */
export interface LedgerSubject {
  /** Reads the chain up to a block. */
  readonly follow: (url: string, head: number) => Promise<void>
  /** Forgets the older half of all facts, and positions that nobody has touched since. */
  readonly halve: () => Promise<void>
  /** Everything that the catalogue has at this moment. */
  readonly catalogue: (url: string, now: number) => Promise<void>
  /** Brings the tables into the state that they are in after a while. */
  readonly settle: () => Promise<void>
  /** Reads blocks and writes what happened in them to a file. */
  readonly keepBlocks: (url: string, from: number, to: number, file: string) => Promise<void>
}
