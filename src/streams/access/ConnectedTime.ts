import { dayMillis, dayNumber } from "#src/domain/time.ts"

/** In Unix milliseconds. */
export interface Interval {
  readonly from: number
  readonly to: number
}

export const startOfDay = (millis: number): number => dayNumber(millis) * dayMillis
/** The next midnight UTC. */
export const endOfDay = (millis: number): number => startOfDay(millis) + dayMillis

/** Splits an interval at every midnight UTC. */
export const splitByDay = ({ from, to }: Interval): ReadonlyArray<Interval> => {
  const parts: Array<Interval> = []
  let start = from
  for (let end = endOfDay(start); end < to; end = endOfDay(start)) {
    parts.push({ from: start, to: end })
    start = end
  }
  return [...parts, { from: start, to }]
}

/** The oldest intervals are joined beyond this: an account that reconnects so often during an outage counts as connected. */
const maxIntervals = 20

/** The time during which an account had a connection to this gateway and that is not yet reported to Redis. */
export class ConnectedTime {
  #open = 0
  #since = 0
  #past: Array<Interval> = []

  get isOpen(): boolean {
    return this.#open > 0
  }

  get isFullyReported(): boolean {
    return this.#open === 0 && this.#past.length === 0
  }

  opened(now: number): void {
    if (this.#open === 0) this.#since = now
    this.#open += 1
  }

  closed(now: number): void {
    this.#open -= 1
    if (this.#open > 0) return
    // An empty interval counts too: it reports the end of the connection.
    this.#past.push({ from: Math.min(this.#since, now), to: now })
    const [first, second] = this.#past
    if (first !== undefined && second !== undefined && this.#past.length > maxIntervals)
      this.#past.splice(0, 2, { from: first.from, to: second.to })
  }

  unreported(now: number): ReadonlyArray<Interval> {
    // After the clock was set back, an interval must not stay open until the clock reaches its start again.
    if (now < this.#since) this.#since = now
    return this.isOpen ? [...this.#past, { from: this.#since, to: now }] : this.#past
  }

  reported(upTo: number): void {
    this.#past = this.#past.flatMap(({ from, to }) => (to <= upTo ? [] : [{ from: Math.max(from, upTo), to }]))
    this.#since = Math.max(this.#since, upTo)
  }

  /** Unreported milliseconds of the current day. */
  unreportedToday(now: number): number {
    const midnight = startOfDay(now)
    return this.unreported(now).reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, midnight)), 0)
  }
}
