/** As many as an answer has at most. */
export const cap = 250_000

export const pathOf = (wallet: string, to: number): string =>
  `/v2/onchain/wallets/${wallet}/trades/all?from=1704067200&to=${to}`

/** Something that works on jobs until the bench ends. */
export interface WorkerSubject {
  readonly work: () => Promise<void>
}

export interface Copied {
  readonly millis: number
  readonly bytes: number
}

/** A program that a user has anyway. */
export interface CopySubject {
  /** What it is called. */
  readonly name: () => Promise<string>
  /** The newest trades of a wallet as lines of JSON, written to a file. */
  readonly trades: (databaseUrl: string, wallet: number) => Promise<Copied>
  /** The same rows as the table has them, thrown away. */
  readonly rows: (databaseUrl: string, wallet: number) => Promise<Copied>
}
