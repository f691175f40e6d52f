import type { Bucket, LimitDecision } from "#src/limits/model.ts"

/** Obvious implementation of sliding windows: keeps every admission and counts them for every request. */
export class Reference {
  readonly #admissions = new Map<string, Array<number>>()

  /** Decides on one request. Buckets are identified by name; the time is in microseconds. */
  take(owner: string, buckets: ReadonlyArray<Bucket>, at: number): LimitDecision {
    const windows = buckets.map((bucket) => {
      const name = `${owner}/${bucket.name}`
      const micros = bucket.windowMillis * 1000
      let times = this.#admissions.get(name) ?? []
      const newest = Math.max(0, ...times)
      // A clock set back by more than a window: the newest admission counts as of now.
      if (newest > at + micros) times = times.map((time) => time - (newest - at))
      this.#admissions.set(name, times)
      const now = Math.max(at, ...times)
      return { bucket, times, now, micros, inside: () => times.filter((time) => time > now - micros) }
    })
    const admitted = windows.every(({ bucket, inside }) => inside().length < bucket.limit)
    if (admitted) for (const { times, now } of windows) times.push(now)
    const statuses = windows.map(({ bucket: { name, limit }, now, micros, inside }) => {
      const leaving = inside().map((time) => time + micros)
      const free = leaving.length === 0 ? now : leaving[Math.max(0, leaving.length - limit)]
      const freeAt = limit === 0 ? now + micros : (free ?? Number.NaN)
      const remaining = Math.max(0, limit - leaving.length)
      return { freeAt, status: { bucket: name, limit, remaining, resetAt: Math.ceil(freeAt / 1e6) } }
    })
    statuses.sort((a, b) => a.status.remaining - b.status.remaining || b.freeAt - a.freeAt)
    const [strictest] = statuses
    if (strictest === undefined) throw new Error("a request without a bucket")
    return { admitted, status: strictest.status }
  }
}
