/** A game of the world under measurement. */
export interface BenchGame {
  readonly id: string
  readonly slug: string
  readonly event: number
  readonly market: number
  readonly markets: number
  readonly score: string | null
  readonly period: string | null
}

export interface SportsWorld {
  /** A key with a limit that the bench never reaches. */
  readonly key: string
  readonly live: ReadonlyArray<BenchGame>
  readonly upcoming: ReadonlyArray<BenchGame>
  readonly leagues: ReadonlyArray<string>
  readonly series: ReadonlyArray<number>
  readonly markets: number
}

/** Connected to the stores of a running program. */
export interface SportsSubject {
  /** The games that the program knows, and a key. */
  readonly world: () => Promise<SportsWorld>
}

export interface DelayOptions {
  readonly venuePort: number
  readonly apiPort: number
  readonly streamPort: number
  readonly key: string
  readonly games: ReadonlyArray<BenchGame>
  /** Scores that are followed from the venue's socket to the clients. */
  readonly count: number
}

export interface Delays {
  readonly rest: ReadonlyArray<number>
  readonly stream: ReadonlyArray<number>
}

/** A client of the venue's socket of scores, and of the program. */
export interface ScoresSubject {
  readonly measure: (options: DelayOptions) => Promise<Delays>
}
