import { Schema } from "effect"

/** At most `limit` in any stretch of `windowMillis`. */
export interface Bucket {
  readonly name: string
  /** Whose, where an owner has several of that name. */
  readonly part?: string
  readonly limit: number
  readonly windowMillis: number
}

/** How an owner stands in the bucket that is nearest to its limit. */
export interface Standing {
  readonly bucket: string
  readonly limit: number
  readonly remaining: number
  /** Unix seconds, rounded up: when the next place becomes free, or now when all are. */
  readonly resetAt: number
}

/** An answer to one request: admitted by all its buckets, or charged to none. */
export interface Admission {
  readonly admitted: boolean
  readonly standing: Standing
}

/** The windows could not be asked, and whoever asked wants no answer without them. */
export class LimiterAway extends Schema.TaggedError<LimiterAway>()("LimiterAway", { reason: Schema.String }) {}
