/** What the requests of the bench are for. */
export interface V3Choice {
  /** The wallets with the most fills, and those with the most positions. */
  readonly traders: ReadonlyArray<string>
  readonly holders: ReadonlyArray<string>
  /** The tokens with the most fills. */
  readonly tokens: ReadonlyArray<string>
  readonly conditions: ReadonlyArray<string>
  readonly slugs: ReadonlyArray<string>
  /** The event with the most fills. */
  readonly event: string
  /** Wallets drawn at random. */
  readonly wallets: ReadonlyArray<string>
  /** The second of the newest fill. */
  readonly newest: number
  readonly fills: number
  readonly mostFills: number
  readonly mostPositions: number
}

export interface V3ChoiceSubject {
  readonly choose: (databaseUrl: string) => Promise<V3Choice>
}

export interface V3RivalSubject {
  readonly listen: (databaseUrl: string) => Promise<number>
}

export interface RollupsSubject {
  /** Builds the leaderboards and counts all blocks; returns the seconds that the latter took. */
  readonly prepare: () => Promise<number>
  /** Counts the figures of markets and events, and of builders; returns the seconds that they took. */
  readonly prepareLists: () => Promise<{ readonly markets: number; readonly builders: number }>
}
