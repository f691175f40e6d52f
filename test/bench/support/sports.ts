/** A game of the world under measurement. */
export interface BenchGame {
  readonly id: string
  readonly slug: string
  readonly event: number
  readonly market: number
}

export interface SportsWorld {
  /** A key with a limit that the bench never reaches. */
  readonly key: string
  readonly live: ReadonlyArray<BenchGame>
  readonly upcoming: ReadonlyArray<BenchGame>
  readonly leagues: ReadonlyArray<string>
  readonly series: ReadonlyArray<number>
  readonly tournaments: ReadonlyArray<number>
  readonly markets: number
}

/** Connected to the stores of a running program. */
export interface SportsSubject {
  /** Adds copies of the venue's games until there are this many. */
  readonly addGames: (live: number, upcoming: number) => Promise<SportsWorld>
}

export interface DelayOptions {
  readonly apiPort: number
  readonly streamPort: number
  readonly key: string
  readonly games: ReadonlyArray<BenchGame>
  /** Scores that are followed from the socket to the clients, one after the other. */
  readonly count: number
  /** Scores of other games beside them, per second. */
  readonly others: number
}

export interface Delays {
  readonly rest: ReadonlyArray<number>
  readonly stream: ReadonlyArray<number>
}

/** The venue's socket of scores, and a client that waits for them. */
export interface ScoresSubject {
  readonly listen: () => Promise<number>
  readonly measure: (options: DelayOptions) => Promise<Delays>
}
