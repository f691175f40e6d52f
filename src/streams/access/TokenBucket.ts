export interface Pace {
  readonly perSecond: number
  readonly burst: number
}

/** Starts full and refills over time without a timer. Times are in milliseconds. */
export class TokenBucket {
  #tokens: number
  #at: number

  constructor({ burst }: Pace, now: number) {
    this.#tokens = burst
    this.#at = now
  }

  /** A cost above the capacity is admitted when the bucket is full. */
  take({ perSecond, burst }: Pace, now: number, cost = 1): boolean {
    // A clock that was set back must not stop the refill until it has caught up.
    const elapsed = Math.max(0, now - this.#at)
    this.#tokens = Math.min(burst, this.#tokens + (elapsed * perSecond) / 1000)
    this.#at = now
    const due = Math.min(cost, burst)
    if (this.#tokens < due) return false
    this.#tokens -= due
    return true
  }

  /** Returns a token that was not needed. */
  refund(): void {
    this.#tokens += 1
  }
}
