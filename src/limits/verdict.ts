import type { Admission, Bucket } from "./model.ts"

export type Buckets = readonly [Bucket, ...Array<Bucket>]

/** How one bucket stands after a decision. */
export interface Place {
  readonly remaining: number
  /** When the next place becomes free, or now when all are: microseconds. */
  readonly freeAt: number
}

/** What the windows say to some equal requests: the first so many are admitted by all buckets, the rest by none. */
export interface Verdict {
  readonly admitted: number
  /** One per bucket, after the last of the requests. */
  readonly places: ReadonlyArray<Place>
}

const isStricter = (one: Place, other: Place) =>
  one.remaining < other.remaining || (one.remaining === other.remaining && one.freeAt > other.freeAt)

/**
 * The answer to each of the requests by its position among them. Shown is the bucket with the least left, of equals the
 * one that frees a place later; a bucket that refuses has nothing left, so on refusal it is one of those that refuse.
 */
export const admissionsOf = (buckets: Buckets, { admitted, places }: Verdict): ((position: number) => Admission) => {
  const [first, ...others] = places
  if (first === undefined) throw new Error("a verdict without a bucket")
  let [bucket, strictest]: [Bucket, Place] = [buckets[0], first]
  others.forEach((place, i) => {
    const other = buckets[i + 1]
    if (other !== undefined && isStricter(place, strictest)) [bucket, strictest] = [other, place]
  })
  const { name, limit } = bucket
  const resetAt = Math.ceil(strictest.freeAt / 1_000_000)
  const { remaining } = strictest
  return (position) => ({
    admitted: position < admitted,
    standing: { bucket: name, limit, remaining: remaining + Math.max(0, admitted - 1 - position), resetAt },
  })
}
