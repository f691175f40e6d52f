import { Schema } from "effect"
import type { EngineFailure, TimeRange } from "#src/upstream/searxng/model.ts"

/** A page of the web, found by one or more engines. */
export interface OnlineResult {
  readonly title: string
  readonly url: string
  readonly domain: string
  readonly snippet: string
  readonly engines: ReadonlyArray<string>
  readonly score: number
  readonly category: string
  /** ISO 8601; null if unknown. */
  readonly publishedAt: string | null
}

export interface OnlineQuery {
  /** In the form of `normalizedQuery`. */
  readonly text: string
  readonly engines: ReadonlyArray<string>
  readonly language: string
  readonly timeRange: TimeRange | undefined
  readonly safeSearch: 0 | 1 | 2
  readonly cacheSeconds: number
}

/** What a search found, best first; a value of JSON, so that processes can share it. */
export interface OnlineFindings {
  readonly results: ReadonlyArray<OnlineResult>
  readonly answers: ReadonlyArray<string>
  readonly suggestions: ReadonlyArray<string>
  /** Engines that failed while others answered. */
  readonly failures: ReadonlyArray<EngineFailure>
  /** Milliseconds. */
  readonly fetchedAt: number
}

const failures = ["unconfigured", "engines", "refused", "rate-limited", "down"] as const

/** Nothing was found out. Its texts never contain the query, because failures are logged. */
export class OnlineSearchFailed extends Schema.TaggedError<OnlineSearchFailed>()("OnlineSearchFailed", {
  kind: Schema.Literals(failures),
  detail: Schema.String,
  engines: Schema.optionalKey(Schema.Array(Schema.Struct({ engine: Schema.String, reason: Schema.String }))),
  /** Seconds. */
  retryAfter: Schema.optionalKey(Schema.Number),
}) {
  override get message() {
    return `${this.kind}: ${this.detail}`
  }
}
