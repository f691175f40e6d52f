/** How many a second, and how many at once. */
export interface Pace {
  readonly perSecond: number
  readonly burst: number
}

/** Full at first, and filled again with time: two numbers, no timer. Its clock is in milliseconds. */
export class TokenBucket {
  #tokens: number
  #at: number

  constructor({ burst }: Pace, now: number) {
    this.#tokens = burst
    this.#at = now
  }

  /** What costs more than there can ever be is let through a full bucket. */
  take({ perSecond, burst }: Pace, now: number, cost = 1): boolean {
    // A clock that was set back must not stop the filling until it has caught up.
    const elapsed = Math.max(0, now - this.#at)
    this.#tokens = Math.min(burst, this.#tokens + (elapsed * perSecond) / 1000)
    this.#at = now
    const due = Math.min(cost, burst)
    if (this.#tokens < due) return false
    this.#tokens -= due
    return true
  }

  /** What was taken turned out not to be needed. */
  giveBack(): void {
    this.#tokens += 1
  }
}
