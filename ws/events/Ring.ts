import type { FeedEntry } from "#src/feed/model.ts"

/** The newest entries of the log, in memory: all after `floor` up to `position`. */
export class Ring {
  readonly #capacity: number
  /** Grows to twice the capacity before its older half is let go of, so that this costs nothing per entry. */
  #entries: Array<FeedEntry> = []
  #floor: number
  #position: number

  constructor(capacity: number, start: number) {
    this.#capacity = capacity
    this.#floor = start
    this.#position = start
  }

  get floor(): number {
    return this.#floor
  }

  /** Everything up to here has been told to all who are live. */
  get position(): number {
    return this.#position
  }

  push(entry: FeedEntry): void {
    this.#entries.push(entry)
    this.#position = entry.seq
    if (this.#entries.length <= this.#capacity * 2) return
    const gone = this.#entries.length - this.#capacity
    this.#floor = this.#entries[gone - 1]?.seq ?? this.#floor
    this.#entries = this.#entries.slice(gone)
  }

  /** Everything up to here was for nobody; who comes later reads it from the log. */
  passOver(seq: number): void {
    this.#entries = []
    this.#floor = seq
    this.#position = seq
  }

  /** Entries after a seq that is not below the floor, oldest first. */
  after(seq: number, limit: number): ReadonlyArray<FeedEntry> {
    const first = this.#firstAfter(seq)
    return this.#entries.slice(first, first + limit)
  }

  /** Newest first. */
  *backwards(): Iterable<FeedEntry> {
    for (let place = this.#entries.length - 1; place >= 0; place--) yield this.#entries[place] as FeedEntry
  }

  /** The newest seq that was recorded before a moment; undefined where the ring does not reach back to it. */
  recordedBefore(millis: number): number | undefined {
    for (const { at, seq } of this.backwards()) if (at < millis) return seq
    return undefined
  }

  #firstAfter(seq: number): number {
    let [low, high] = [0, this.#entries.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#entries[middle]?.seq ?? 0) > seq) high = middle
      else low = middle + 1
    }
    return low
  }
}
