import type { Bucket, Buckets, WindowDecision } from "./model.ts"

/** Admissions of one bucket: each moment once, with their number. */
class LocalWindow {
  #moments: Array<{ readonly at: number; count: number }> = []
  /** Index of the first moment still inside the window. */
  #first = 0
  #total = 0
  #now = 0
  readonly #micros: number
  bucket: Bucket

  constructor(bucket: Bucket) {
    this.bucket = bucket
    this.#micros = bucket.windowMillis * 1000
  }

  get total() {
    return this.#total
  }

  slide(clock: number): void {
    this.#now = clock
    const edge = this.#now - this.#micros
    for (let moment = this.#moments[this.#first]; moment !== undefined && moment.at <= edge; ) {
      this.#total -= moment.count
      moment = this.#moments[++this.#first]
    }
    if (this.#first > 64 && this.#first * 2 > this.#moments.length) {
      this.#moments = this.#moments.slice(this.#first)
      this.#first = 0
    }
  }

  charge(count: number): void {
    const newest = this.#moments.at(-1)
    if (newest?.at === this.#now) newest.count += count
    else this.#moments.push({ at: this.#now, count })
    this.#total += count
  }

  nextFree(limit: number): number {
    if (limit === 0) return this.#now + this.#micros
    if (this.#total === 0) return this.#now
    let over = this.#total - limit
    let i = this.#first
    for (let count = this.#moments[i]?.count ?? 0; over >= count && count > 0; count = this.#moments[++i]?.count ?? 0) {
      over -= count
    }
    return (this.#moments[i]?.at ?? this.#now) + this.#micros
  }
}

/**
 * The same windows as in Redis, for admissions by this process alone. The least recently used windows are dropped. The
 * clock is in microseconds and monotonic.
 */
export class LocalWindows {
  readonly #windows = new Map<string, LocalWindow>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Records admissions decided elsewhere, even beyond the limit. */
  record(keys: ReadonlyArray<string>, buckets: Buckets, count: number, clock: number): void {
    for (const window of this.#slid(keys, buckets, clock)) window.charge(count)
  }

  take(keys: ReadonlyArray<string>, buckets: Buckets, count: number, clock: number): WindowDecision {
    const windows = this.#slid(keys, buckets, clock)
    const free = windows.map((window, i) => Math.max(0, (buckets[i]?.limit ?? 0) - window.total))
    const admitted = Math.min(count, ...free)
    if (admitted > 0) for (const window of windows) window.charge(admitted)
    const states = windows.map((window, i) => {
      const limit = buckets[i]?.limit ?? 0
      return { remaining: Math.max(0, limit - window.total), freeAt: window.nextFree(limit) }
    })
    return { admitted, states }
  }

  /** Empties the windows and returns how many admissions each still had. */
  takeAll(clock: number): ReadonlyArray<{ readonly key: string; readonly bucket: Bucket; readonly count: number }> {
    const all = [...this.#windows].map(([key, window]) => {
      window.slide(clock)
      return { key, bucket: window.bucket, count: window.total }
    })
    this.#windows.clear()
    return all.filter(({ count }) => count > 0)
  }

  #slid(keys: ReadonlyArray<string>, buckets: Buckets, clock: number): ReadonlyArray<LocalWindow> {
    return buckets.map((bucket, i) => {
      const key = keys[i] ?? ""
      const window = this.#windows.get(key) ?? new LocalWindow(bucket)
      window.bucket = bucket
      this.#windows.delete(key)
      this.#windows.set(key, window)
      window.slide(clock)
      for (const oldest of this.#windows.keys()) {
        if (this.#windows.size <= this.#capacity) break
        this.#windows.delete(oldest)
      }
      return window
    })
  }
}
