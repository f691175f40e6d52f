/** Sizes of the boards and of their source tables. */
export interface Sizes {
  readonly fills: number
  readonly events: number
  readonly positions: number
  readonly wallets: number
  readonly rows: number
}

/** The leaderboards of a ledger, in their own process. */
export interface BoardsSubject {
  /** Rolls the ledger back to its stored state. */
  readonly restore: () => Promise<void>
  readonly sizes: () => Promise<Sizes>
  /** Rebuilds all boards; returns seconds. */
  readonly rebuild: () => Promise<number>
  /** Appends blocks; returns their fills and the milliseconds of the refresh. */
  readonly advance: (blocks: number) => Promise<{ readonly fills: number; readonly millis: number }>
  /** Retracts blocks; returns the milliseconds of rollback and refresh. */
  readonly retract: (blocks: number) => Promise<number>
  /** Appends blocks and refreshes repeatedly until `stop`, which returns the number of refreshes. */
  readonly startAdvancing: (blocks: number) => Promise<void>
  readonly stop: () => Promise<number>
  readonly scopes: () => Promise<ReadonlyArray<{ readonly kind: "category" | "tag"; readonly value: string }>>
}

/** The same sums in plain SQL. */
export interface ViewsSubject {
  /** Creates views of the sums; returns seconds. */
  readonly create: (databaseUrl: string) => Promise<number>
  /** Refreshes them concurrently; returns seconds. */
  readonly refresh: () => Promise<number>
  /** Reads their source rows once; returns seconds. */
  readonly scan: () => Promise<number>
  readonly drop: () => Promise<void>
}

export interface PagesSubject {
  readonly listen: (databaseUrl: string) => Promise<number>
}
