import type { FeedEntry } from "#src/feed/model.ts"

/** The newest log entries in memory: all after `floor` up to `position`. */
export class RecentEntries {
  readonly #capacity: number
  /** Grows to twice the capacity before the older half is dropped, so that eviction costs nothing per entry. */
  #entries: Array<FeedEntry> = []
  #floor: number
  #position: number

  /** When the entry at the start was recorded, if that is known. */
  readonly #startedAt: number

  constructor(capacity: number, start: number, startedAt = 0) {
    this.#capacity = capacity
    this.#startedAt = startedAt
    this.#floor = start
    this.#position = start
  }

  get floor(): number {
    return this.#floor
  }

  /** All entries up to this seq have been published to live subscribers. */
  get position(): number {
    return this.#position
  }

  /** When the newest entry was recorded. */
  get newestAt(): number {
    return this.#entries.at(-1)?.at ?? this.#startedAt
  }

  push(entry: FeedEntry): void {
    this.#entries.push(entry)
    this.#position = entry.seq
    if (this.#entries.length <= this.#capacity * 2) return
    const dropped = this.#entries.length - this.#capacity
    this.#floor = this.#entries[dropped - 1]?.seq ?? this.#floor
    this.#entries = this.#entries.slice(dropped)
  }

  /** Skips entries that had no subscriber; later replays read them from the log. */
  skipTo(seq: number): void {
    this.#entries = []
    this.#floor = seq
    this.#position = seq
  }

  /** Entries after a seq, oldest first; the seq must not be below the floor. */
  after(seq: number, limit: number): ReadonlyArray<FeedEntry> {
    const first = this.#firstAfter(seq)
    return this.#entries.slice(first, first + limit)
  }

  /** The entries as of now, newest first. */
  backwards(): Iterable<FeedEntry> {
    return backwardsFrom(this.#entries, this.#entries.length - 1)
  }

  /** The newest seq recorded before a time; undefined if memory does not reach back that far. */
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

/** Later entries are appended, and an eviction makes a new array, so the walk may take its time. */
function* backwardsFrom(entries: ReadonlyArray<FeedEntry>, newest: number): Iterable<FeedEntry> {
  for (let index = newest; index >= 0; index--) yield entries[index] as FeedEntry
}
