import type { Millis } from "../world/model.ts"

const windowMillis = 900_000

/** Tokens are not checked, so there may be any number of them. */
const mostCallers = 10_000

interface Window {
  readonly endsAt: Millis
  used: number
}

export interface Allowance {
  readonly isExhausted: boolean
  readonly headers: Readonly<Record<string, string>>
}

/** How often each caller may use each route within a quarter of an hour. */
export class RateLimits {
  readonly #windows = new Map<string, Window>()

  use(caller: string, route: string, limit: number, now: Millis): Allowance {
    const key = `${route} ${caller}`
    const window = this.#windowOf(key, now)
    const isExhausted = window.used >= limit
    if (!isExhausted) window.used += 1
    return {
      isExhausted,
      headers: {
        "x-rate-limit-limit": String(limit),
        "x-rate-limit-remaining": String(limit - window.used),
        "x-rate-limit-reset": String(Math.ceil(window.endsAt / 1000)),
      },
    }
  }

  #windowOf(key: string, now: Millis): Window {
    const known = this.#windows.get(key)
    if (known !== undefined && now < known.endsAt) return known
    const window = { endsAt: now + windowMillis, used: 0 }
    this.#windows.delete(key)
    this.#windows.set(key, window)
    if (this.#windows.size > mostCallers) this.#windows.delete(this.#windows.keys().next().value as string)
    return window
  }
}
