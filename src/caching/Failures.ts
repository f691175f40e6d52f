import type { Cause } from "effect"
import { LRUCache } from "lru-cache"

/** Pause after a failed load, to spare a source that is down. */
const pauseMillis = 1000

const capacity = 10_000

interface Failed {
  readonly cause: Cause.Cause<unknown>
  readonly until: number
}

/** Recently failed loads, and when each may be retried. */
export class Failures {
  readonly #failed = new LRUCache<string, Failed>({ max: capacity })

  /** The cause, during the pause after a failure. */
  recent(id: string, now: number): Cause.Cause<unknown> | undefined {
    const failed = this.#failed.get(id)
    // A clock set back must not make the pause longer.
    return failed !== undefined && now < failed.until && now >= failed.until - pauseMillis ? failed.cause : undefined
  }

  /** Returns whether it is the first failure since the last success. */
  record(id: string, cause: Cause.Cause<unknown>, now: number): boolean {
    const isFirst = !this.#failed.has(id)
    this.#failed.set(id, { cause, until: now + pauseMillis })
    return isFirst
  }

  clear(id: string): void {
    this.#failed.delete(id)
  }
}
