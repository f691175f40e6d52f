/** What the boards are made of, and how large they are. */
export interface Sizes {
  readonly fills: number
  readonly events: number
  readonly positions: number
  readonly wallets: number
  readonly rows: number
}

/** The leaderboards of a ledger, in a process of its own. */
export interface BoardsSubject {
  /** Takes the ledger back to where it was kept, if somebody went on from there. */
  readonly restore: () => Promise<void>
  readonly sizes: () => Promise<Sizes>
  /** Builds all boards anew; seconds. */
  readonly rebuild: () => Promise<number>
  /** Lets this many more blocks happen; the fills in them, and the milliseconds until the boards have them. */
  readonly advance: (blocks: number) => Promise<{ readonly fills: number; readonly millis: number }>
  /** Takes this many blocks back; milliseconds until the boards have followed. */
  readonly takeBack: (blocks: number) => Promise<number>
  /** Refreshes on and on until it is told to stop, with so many blocks more each time; how often. */
  readonly goOn: (blocks: number) => Promise<void>
  readonly stop: () => Promise<number>
  readonly scopes: () => Promise<ReadonlyArray<{ readonly kind: "category" | "tag"; readonly value: string }>>
}

/** The same sums by somebody who has only SQL. */
export interface ViewsSubject {
  /** Makes views of the sums; seconds. */
  readonly make: (databaseUrl: string) => Promise<number>
  /** Brings them up to date while they can be read; seconds. */
  readonly refresh: () => Promise<number>
  /** Reads what they are made of once; seconds. */
  readonly scan: () => Promise<number>
  readonly drop: () => Promise<void>
}

export interface PagesSubject {
  readonly listen: (databaseUrl: string) => Promise<number>
}
