import type { Admission, Bucket } from "./model.ts"
import type { Buckets } from "./verdict.ts"

/** Told the answer, or nothing when Redis gave none. */
export type Waiting = (admission: Admission | undefined) => void

/** Equal requests of one owner in one turn, first come first. */
export interface Group {
  readonly owner: string
  readonly buckets: Buckets
  readonly waiting: Array<Waiting>
}

const isSameBucket = (one: Bucket, other: Bucket | undefined) =>
  one === other ||
  (one.name === other?.name &&
    one.part === other.part &&
    one.limit === other.limit &&
    one.windowMillis === other.windowMillis)

const isSame = (one: Buckets, other: Buckets) =>
  one === other || (one.length === other.length && one.every((bucket, i) => isSameBucket(bucket, other[i])))

/** Gathers what is asked in one turn of the event loop, so that it goes out together and equal requests as one. */
export class Turns {
  #groups = new Map<string, Array<Group>>()
  readonly #send: (groups: ReadonlyArray<Group>) => void

  constructor(send: (groups: ReadonlyArray<Group>) => void) {
    this.#send = send
  }

  add(owner: string, buckets: Buckets, waiting: Waiting): void {
    // Not a microtask: those run between two sockets of one turn, and each request would go out alone.
    if (this.#groups.size === 0) setImmediate(() => this.#flush())
    const groups = this.#groups.get(owner)
    const group = groups?.find((each) => isSame(each.buckets, buckets))
    if (group !== undefined) group.waiting.push(waiting)
    else if (groups !== undefined) groups.push({ owner, buckets, waiting: [waiting] })
    else this.#groups.set(owner, [{ owner, buckets, waiting: [waiting] }])
  }

  #flush(): void {
    const groups = [...this.#groups.values()].flat()
    this.#groups = new Map()
    this.#send(groups)
  }
}
