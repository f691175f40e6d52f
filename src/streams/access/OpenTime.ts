const dayMillis = 86_400_000

/** A stretch of time in milliseconds. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

export const startOfDay = (millis: number): number => Math.floor(millis / dayMillis) * dayMillis
/** The next midnight UTC. */
export const endOfDay = (millis: number): number => startOfDay(millis) + dayMillis
/** The UTC day as people write it. */
export const dayOf = (millis: number): string => new Date(startOfDay(millis)).toISOString().slice(0, 10)

/** The same time, no part of it over midnight. */
export const splitByDay = ({ from, to }: Stretch): ReadonlyArray<Stretch> => {
  const parts: Array<Stretch> = []
  let start = from
  for (let end = endOfDay(start); end < to; end = endOfDay(start)) {
    parts.push({ from: start, to: end })
    start = end
  }
  return [...parts, { from: start, to }]
}

/** More are joined: who comes and goes that often while Redis is away can be taken to have stayed. */
const mostStretches = 20

/** When at least one connection of an account to this gateway was open, as far as that was not yet told to the others. */
export class OpenTime {
  #open = 0
  #since = 0
  #past: Array<Stretch> = []

  get isOpen(): boolean {
    return this.#open > 0
  }

  get isAllTold(): boolean {
    return this.#open === 0 && this.#past.length === 0
  }

  opened(now: number): void {
    if (this.#open === 0) this.#since = now
    this.#open += 1
  }

  closed(now: number): void {
    this.#open -= 1
    if (this.#open > 0) return
    // Even if it was only a moment, for the others to hear that it is over.
    this.#past.push({ from: Math.min(this.#since, now), to: now })
    const [first, second] = this.#past
    if (first !== undefined && second !== undefined && this.#past.length > mostStretches)
      this.#past.splice(0, 2, { from: first.from, to: second.to })
  }

  untold(now: number): ReadonlyArray<Stretch> {
    // A clock that was set back must not leave a stretch open that it only reaches again much later.
    if (now < this.#since) this.#since = now
    return this.isOpen ? [...this.#past, { from: this.#since, to: now }] : this.#past
  }

  told(upTo: number): void {
    this.#past = this.#past.flatMap(({ from, to }) => (to <= upTo ? [] : [{ from: Math.max(from, upTo), to }]))
    this.#since = Math.max(this.#since, upTo)
  }

  /** Of the day that is now. */
  untoldToday(now: number): number {
    const midnight = startOfDay(now)
    return this.untold(now).reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, midnight)), 0)
  }
}
