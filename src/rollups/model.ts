/** What was traded of a token. Amounts are integers of 10⁻⁶. */
export interface TokenVolume {
  readonly trades: number
  /** Trades that the taker bought in. */
  readonly buys: number
  readonly usd: bigint
  readonly buyUsd: bigint
}

/** Sums over the whole ledger. Amounts are integers of 10⁻⁶. */
export interface LedgerTotals {
  readonly fills: bigint
  readonly trades: bigint
  readonly usd: bigint
  readonly redemptions: bigint
  readonly wallets: bigint
  readonly positions: bigint
  readonly realized: bigint
  readonly profit: bigint
  readonly openInterest: bigint
  /** The block up to which wallets, positions, profits and open interest are added up. */
  readonly sumsAt: number
}
