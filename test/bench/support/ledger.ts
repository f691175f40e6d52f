/** Makes a ledger from a venue, in a process of its own. */
export interface LedgerSubject {
  /** Reads this share of the chain, its newest part, up to a block. */
  readonly follow: (url: string, head: number, share: number) => Promise<void>
  /** Everything that the catalogue has at this moment. */
  readonly catalogue: (url: string, now: number) => Promise<void>
  /** Brings the tables into the state that they are in after a while. */
  readonly settle: () => Promise<void>
  /** Reads blocks and writes what happened in them to a file. */
  readonly keepBlocks: (url: string, from: number, to: number, file: string) => Promise<void>
}
