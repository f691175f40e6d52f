import { Schema } from "effect"

/** At most `limit` requests in any window of `windowMillis`. */
export interface Bucket {
  readonly name: string
  /** Distinguishes several buckets of the same name and owner. */
  readonly part?: string
  readonly limit: number
  readonly windowMillis: number
}

export type Buckets = readonly [Bucket, ...Array<Bucket>]

/** State of a bucket. */
export interface LimitStatus {
  readonly bucket: string
  readonly limit: number
  readonly remaining: number
  /** Unix seconds, rounded up: when the next request becomes possible, or now when the window is empty. */
  readonly resetAt: number
}

/** Decision on one request: admitted by all its buckets, or charged to none. */
export interface LimitDecision {
  readonly admitted: boolean
  /** Of the bucket that is nearest to its limit. */
  readonly status: LimitStatus
}

/** State of one window after a decision. */
export interface WindowState {
  readonly remaining: number
  /** Microseconds: when the next request becomes possible, or now when the window is empty. */
  readonly freeAt: number
}

/** Decision on several equal requests: the first `admitted` are admitted by all buckets, the rest by none. */
export interface WindowDecision {
  readonly admitted: number
  /** One per bucket, after the last of the requests. */
  readonly states: ReadonlyArray<WindowState>
}

/** Redis does not answer, and the caller accepts no local decision. */
export class LimiterUnavailable extends Schema.TaggedError<LimiterUnavailable>()("LimiterUnavailable", {
  reason: Schema.String,
}) {}

const isStricter = (one: WindowState, other: WindowState) =>
  one.remaining < other.remaining || (one.remaining === other.remaining && one.freeAt > other.freeAt)

export const statusOf = ({ name, limit }: Bucket, { remaining, freeAt }: WindowState): LimitStatus => ({
  bucket: name,
  limit,
  remaining,
  resetAt: Math.ceil(freeAt / 1_000_000),
})

/**
 * The decision on each request by its position. It reports the bucket with the least remaining, or among equals the one
 * that frees up later. A refusing bucket has nothing remaining, so a refusal always reports a bucket that refused.
 */
export const decisionsOf = (
  buckets: Buckets,
  { admitted, states }: WindowDecision,
): ((position: number) => LimitDecision) => {
  const [first, ...others] = states
  if (first === undefined) throw new Error("a decision without a bucket")
  let [bucket, strictest]: [Bucket, WindowState] = [buckets[0], first]
  others.forEach((state, i) => {
    const other = buckets[i + 1]
    if (other !== undefined && isStricter(state, strictest)) [bucket, strictest] = [other, state]
  })
  const status = statusOf(bucket, strictest)
  return (position) => ({
    admitted: position < admitted,
    status: { ...status, remaining: status.remaining + Math.max(0, admitted - 1 - position) },
  })
}
