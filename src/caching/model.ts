import { type Effect, Schema } from "effect"
import type { Answer } from "./Answer.ts"

/** A load did not end in time. */
export class LoadTooSlow extends Schema.TaggedError<LoadTooSlow>()("LoadTooSlow", {
  answer: Schema.String,
  budget: Schema.Finite,
}) {
  override get message() {
    return `${this.answer} was not ready after ${this.budget} ms`
  }
}

/** Milliseconds that a load may take. */
export const defaultBudget = 15_000

/** What a load brings. */
export interface Loaded {
  /** Anything that `JSON.stringify` takes. */
  readonly value: unknown
  /** What those get who are answered from the cache, where the answer itself says whether it is cached. */
  readonly whenCached?: unknown
  /** When the newest data in it were true, in milliseconds. */
  readonly dataAt?: number | undefined
  /** From this moment on it is known to be another one: it must not outlive it, neither fresh nor stale. */
  readonly until?: number | undefined
}

/** How long an answer lives, in milliseconds. */
export interface Lifetime {
  readonly freshFor: number
  /** How much longer it may be shown when no newer one can be made. */
  readonly staleFor: number
  /**
   * The moment that an answer made at `now` must not outlive, neither fresh nor stale. An answer about "the current
   * window" needs it, whatever its key: clients keep it for as long as it says.
   */
  readonly until?: ((now: number) => number) | undefined
}

export interface Entry<E> extends Lifetime {
  /** What kind of answer it is: a short word that no other kind has. */
  readonly name: string
  /** Which one of the kind; empty where there is only one. */
  readonly key: string
  /** Run at most once at a time, and not for one request only: so it needs nothing of the request that asks. */
  readonly load: Effect.Effect<Loaded, E>
  /** Milliseconds that it may take, after which it counts as failed. */
  readonly budget?: number | undefined
  /** Whether a failure means that the source is down, so that an older answer is better than none. All are, unless said. */
  readonly isOutage?: ((error: E) => boolean) | undefined
}

export interface Cached {
  readonly answer: Answer
  /** `load`: made for those who ask now. `cache`: made before. `stale`: made before, and a newer one could not be. */
  readonly from: "load" | "cache" | "stale"
}

/** The next multiple of `millis` since 1970: where windows of this length change. */
export const nextBoundary = (millis: number) => (now: number) => (Math.floor(now / millis) + 1) * millis
