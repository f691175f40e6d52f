/** Score of one wallet over the longest period. */
export interface WalletScore {
  readonly wallet: string
  readonly actual: string
  readonly backtest: string
  readonly trades: number
}

/** A wallet with its ledger id and its address. */
export interface LedgerWallet {
  readonly id: number
  readonly wallet: string
}

/** Requests scores and waits for them, like an account. */
export interface PoolSubject {
  /** The wallets with the most fills. */
  readonly busiest: (count: number) => Promise<ReadonlyArray<LedgerWallet>>
  /** Follows wallets without scores; returns the seconds until all scores exist. */
  readonly score: (wallets: ReadonlyArray<string>) => Promise<number>
  readonly scores: () => Promise<ReadonlyArray<WalletScore>>
}

/** The same sums in plain SQL. */
export interface CopySqlSubject {
  readonly score: (
    databaseUrl: string,
    wallets: ReadonlyArray<LedgerWallet>,
    now: number,
  ) => Promise<{ readonly seconds: number; readonly scores: ReadonlyArray<WalletScore> }>
  /** Only reads the source rows; returns seconds. */
  readonly read: (databaseUrl: string, wallets: ReadonlyArray<LedgerWallet>, now: number) => Promise<number>
}
