/** As many as an answer has at most. */
export const cap = 250_000

/** Trades of one wallet, as clients and as the ledger name it; times are seconds. */
export interface Asked {
  readonly wallet: string
  readonly id: number
  readonly from: number
  readonly to: number
}

export const pathOf = ({ wallet, from, to }: Asked): string =>
  `/v2/onchain/wallets/${wallet}/trades/all?from=${from}&to=${to}`

/** Knows the ledger. */
export interface BusiestSubject {
  /** The newest trades of the wallet that has most, as many as an answer may have; and how many these are. */
  readonly busiest: (databaseUrl: string) => Promise<{ readonly asked: Asked; readonly count: number }>
}

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
  /** The trades, the newest first, as lines of JSON, written to a file. */
  readonly trades: (databaseUrl: string, asked: Asked) => Promise<Copied>
  /** The same rows as the table has them, thrown away. */
  readonly rows: (databaseUrl: string, asked: Asked) => Promise<Copied>
}
