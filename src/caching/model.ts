import { type Effect, Schema } from "effect"

/** A load took too long. */
export class LoadTimeout extends Schema.TaggedError<LoadTimeout>()("LoadTimeout", {
  answer: Schema.String,
  budget: Schema.Finite,
}) {
  override get message() {
    return `${this.answer} was not ready after ${this.budget} ms`
  }
}

/** Milliseconds for a load. */
export const defaultBudget = 15_000

/** Result of a load. */
export interface Loaded {
  /** Any JSON value. */
  readonly value: unknown
  /** Sent instead of `value` from the cache, for answers that say whether they are cached. */
  readonly whenCached?: unknown
  /** Time of its newest data, in milliseconds. */
  readonly dataAt?: number | undefined
  /** The answer changes at this moment, and must not outlive it, neither fresh nor stale. */
  readonly until?: number | undefined
}

/** Lifetime of an answer, in milliseconds. */
export interface Lifetime {
  readonly freshFor: number
  /** How much longer it may be served when no newer one can be loaded. */
  readonly staleFor: number
  /**
   * An answer loaded at `now` must not outlive this moment, neither fresh nor stale. Needed for answers about "the
   * current window", because clients cache them for as long as they say.
   */
  readonly until?: ((now: number) => number) | undefined
}

export interface CacheEntry<E> extends Lifetime {
  /** Unique short name of this kind of answer. */
  readonly name: string
  /** Identifies the answer within its kind; empty if there is only one. */
  readonly key: string
  /** Runs at most once at a time and for all callers, so it must not depend on the request. */
  readonly load: Effect.Effect<Loaded, E>
  /** Kept in this process only: of an answer that lives so shortly, sharing it costs more than it saves. */
  readonly isLocal?: boolean | undefined
  /** Milliseconds until the load counts as failed. */
  readonly budget?: number | undefined
  /** Whether a failure means that the source is down, so that an older answer is better than none. All failures by default. */
  readonly isOutage?: ((error: E) => boolean) | undefined
}
