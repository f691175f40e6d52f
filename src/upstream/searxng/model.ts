/** A page of the web that a search found. */
export interface FoundPage {
  readonly url: string
  readonly title: string
  readonly text: string
  /** Engines that found it. */
  readonly engines: ReadonlyArray<string>
  readonly score: number
  readonly category: string
  /** Milliseconds. */
  readonly publishedAt: number | undefined
}

/** An engine that gave no results, and why. */
export interface EngineFailure {
  readonly engine: string
  readonly reason: string
}

export interface SearchPage {
  readonly results: ReadonlyArray<FoundPage>
  readonly answers: ReadonlyArray<string>
  readonly suggestions: ReadonlyArray<string>
  readonly failures: ReadonlyArray<EngineFailure>
}

export type TimeRange = "day" | "week" | "month" | "year"

export interface SearchRequest {
  readonly query: string
  readonly engines: ReadonlyArray<string>
  readonly language: string
  readonly timeRange: TimeRange | undefined
  readonly safeSearch: 0 | 1 | 2
}
