import type { Cause } from "effect"

/** After a load failed, nobody tries again for this long: a source that is down is not helped by being asked. */
const pauseMillis = 1000

const mostKept = 10_000

interface Failed {
  readonly cause: Cause.Cause<unknown>
  readonly until: number
}

/** The loads that failed lately, and when each may be tried again. */
export class Failures {
  readonly #failed = new Map<string, Failed>()

  /** Why it failed a moment ago. */
  recent(id: string, now: number): Cause.Cause<unknown> | undefined {
    const failed = this.#failed.get(id)
    // A clock that was set back must not make the pause longer.
    return failed !== undefined && now < failed.until && now >= failed.until - pauseMillis ? failed.cause : undefined
  }

  /** True of the first failure since it last worked. */
  note(id: string, cause: Cause.Cause<unknown>, now: number): boolean {
    const isFirst = !this.#failed.delete(id)
    this.#failed.set(id, { cause, until: now + pauseMillis })
    const [oldest] = this.#failed.keys()
    if (this.#failed.size > mostKept && oldest !== undefined) this.#failed.delete(oldest)
    return isFirst
  }

  forget(id: string): void {
    this.#failed.delete(id)
  }
}
