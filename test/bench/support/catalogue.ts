/** What the requests of the bench are for: the busiest of each kind. */
export interface CatalogueChoice {
  readonly tokens: ReadonlyArray<string>
  readonly conditions: ReadonlyArray<string>
  readonly slugs: ReadonlyArray<string>
  readonly events: ReadonlyArray<string>
  /** Slugs of the widest tags. */
  readonly tags: ReadonlyArray<string>
  readonly builders: ReadonlyArray<string>
  /** The wallets with the most positions in combos. */
  readonly comboHolders: ReadonlyArray<string>
  /** Words of questions, as people type them. */
  readonly searches: ReadonlyArray<string>
  /** The second of the newest fill. */
  readonly newest: number
  readonly markets: number
  /** Markets with at least one trade. */
  readonly traded: number
  readonly fills: number
}

export interface CatalogueChoiceSubject {
  readonly choose: (databaseUrl: string) => Promise<CatalogueChoice>
}
