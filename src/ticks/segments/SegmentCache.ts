import type { Segment } from "./Segment.ts"

interface Entry {
  readonly segment: Segment
  usedAt: number
}

/** Share kept by an eviction: evicting a sixteenth at once avoids sorting for every new segment. */
const shareKept = 15 / 16

/** LRU cache of segments, limited by bytes. */
export class SegmentCache {
  readonly #entries = new Map<string, Entry>()
  readonly #limit: () => number
  #bytes = 0
  #uses = 0

  constructor(limit: () => number) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Counts uses instead of reordering the map: a day reads 144 segments, and moving each would dominate the request. */
  get(key: string): Segment | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    entry.usedAt = ++this.#uses
    return entry.segment
  }

  set(key: string, segment: Segment): void {
    this.#bytes += segment.size - (this.#entries.get(key)?.segment.size ?? 0)
    this.#entries.set(key, { segment, usedAt: ++this.#uses })
    const limit = this.#limit()
    if (this.#bytes > limit) this.#shrinkTo(limit * shareKept)
  }

  #shrinkTo(bytes: number): void {
    const oldestFirst = [...this.#entries].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    for (const [key, { segment }] of oldestFirst) {
      if (this.#bytes <= bytes) return
      this.#entries.delete(key)
      this.#bytes -= segment.size
    }
  }
}
