import type { Bucket, Buckets, LimitDecision } from "./model.ts"

/** Receives the decision, or nothing when Redis gave none. */
export type OnDecision = (decision: LimitDecision | undefined) => void

/** Equal requests of one owner in one turn of the event loop, in order of arrival. */
export interface RequestGroup {
  readonly owner: string
  readonly buckets: Buckets
  readonly waiting: Array<OnDecision>
}

const isSameBucket = (one: Bucket, other: Bucket | undefined) =>
  one === other ||
  (one.name === other?.name &&
    one.part === other.part &&
    one.limit === other.limit &&
    one.windowMillis === other.windowMillis)

const isSame = (one: Buckets, other: Buckets) =>
  one === other || (one.length === other.length && one.every((bucket, i) => isSameBucket(bucket, other[i])))

/** Collects the requests of one turn of the event loop and sends them together, equal ones as one group. */
export class RequestBatcher {
  #groups = new Map<string, Array<RequestGroup>>()
  readonly #send: (groups: ReadonlyArray<RequestGroup>) => void

  constructor(send: (groups: ReadonlyArray<RequestGroup>) => void) {
    this.#send = send
  }

  add(owner: string, buckets: Buckets, onDecision: OnDecision): void {
    // Not a microtask: those run between two sockets of one turn, so each request would go out alone.
    if (this.#groups.size === 0) setImmediate(() => this.#flush())
    const groups = this.#groups.get(owner)
    const group = groups?.find((each) => isSame(each.buckets, buckets))
    if (group !== undefined) group.waiting.push(onDecision)
    else if (groups !== undefined) groups.push({ owner, buckets, waiting: [onDecision] })
    else this.#groups.set(owner, [{ owner, buckets, waiting: [onDecision] }])
  }

  #flush(): void {
    const groups = [...this.#groups.values()].flat()
    this.#groups = new Map()
    this.#send(groups)
  }
}
