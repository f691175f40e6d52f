/** Of one wallet over the longest period. */
export interface LongScore {
  readonly wallet: string
  readonly actual: string
  readonly backtest: string
  readonly trades: number
}

/** A wallet by its number in the ledger, and as everybody else calls it. */
export interface Scored {
  readonly id: number
  readonly wallet: string
}

/** Asks for scores and waits for them, as an account does. */
export interface PoolSubject {
  /** The wallets with most fills. */
  readonly busiest: (count: number) => Promise<ReadonlyArray<Scored>>
  /** Follows these, none of which has a score; seconds until the last has all of them. */
  readonly score: (wallets: ReadonlyArray<string>) => Promise<number>
  readonly scores: () => Promise<ReadonlyArray<LongScore>>
}

/** The same sums by somebody who has only SQL. */
export interface CopySqlSubject {
  readonly score: (
    databaseUrl: string,
    wallets: ReadonlyArray<Scored>,
    now: number,
  ) => Promise<{ readonly seconds: number; readonly scores: ReadonlyArray<LongScore> }>
  /** Only reads what is summed, and throws it away; seconds. */
  readonly read: (databaseUrl: string, wallets: ReadonlyArray<Scored>, now: number) => Promise<number>
}
