/** Maximum number of trades in a response. */
export const cap = 250_000

/** Trades of one wallet, by its address and its ledger id; times are in seconds. */
export interface TradesQuery {
  readonly wallet: string
  readonly id: number
  readonly from: number
  readonly to: number
}

export const pathOf = ({ wallet, from, to }: TradesQuery): string =>
  `/v2/onchain/wallets/${wallet}/trades/all?from=${from}&to=${to}`

/** Queries the ledger. */
export interface BusiestSubject {
  /** The range with the newest trades of the busiest wallet, up to `cap`, and their number. */
  readonly busiest: (databaseUrl: string) => Promise<{ readonly query: TradesQuery; readonly count: number }>
}

/** Processes jobs until the bench ends. */
export interface WorkerSubject {
  readonly work: () => Promise<void>
}

export interface Copied {
  readonly millis: number
  readonly bytes: number
}

/** A generally available program. */
export interface CopySubject {
  /** Its name. */
  readonly name: () => Promise<string>
  /** Writes the trades to a file as lines of JSON, newest first. */
  readonly trades: (databaseUrl: string, query: TradesQuery) => Promise<Copied>
  /** Writes the raw rows to /dev/null. */
  readonly rows: (databaseUrl: string, query: TradesQuery) => Promise<Copied>
}
