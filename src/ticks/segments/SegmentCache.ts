import type { Segment } from "./Segment.ts"

/** Segments by key, the least recently used leaving first, within a number of bytes. */
export class SegmentCache {
  readonly #segments = new Map<string, Segment>()
  readonly #limit: () => number
  #bytes = 0

  constructor(limit: () => number) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: string): Segment | undefined {
    const found = this.#segments.get(key)
    if (found === undefined) return undefined
    this.#segments.delete(key)
    this.#segments.set(key, found)
    return found
  }

  set(key: string, segment: Segment): void {
    this.#drop(key)
    this.#segments.set(key, segment)
    this.#bytes += segment.size
    const limit = this.#limit()
    for (const oldest of this.#segments.keys()) {
      if (this.#bytes <= limit) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#segments.get(key)?.size ?? 0
    this.#segments.delete(key)
  }
}
