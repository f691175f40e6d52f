interface Entry<A> {
  readonly at: number
  readonly order: number
  readonly item: A
}

const before = <A>(a: Entry<A>, b: Entry<A>) => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Future items in order of time, then of insertion (a binary heap). */
export class EventQueue<A> {
  readonly #heap: Array<Entry<A>> = []
  #order = 0

  /** The time of the next item; Infinity if there is none. */
  get next(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  add(at: number, item: A): void {
    const heap = this.#heap
    const entry = { at, order: this.#order++, item }
    let i = heap.length
    while (i > 0) {
      const parent = (i - 1) >> 1
      const above = heap[parent] as Entry<A>
      if (!before(entry, above)) break
      heap[i] = above
      i = parent
    }
    heap[i] = entry
  }

  take(): Entry<A> | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let i = 0
    while (true) {
      const left = 2 * i + 1
      if (left >= heap.length) break
      const right = left + 1
      const least = right < heap.length && before(heap[right] as Entry<A>, heap[left] as Entry<A>) ? right : left
      if (!before(heap[least] as Entry<A>, last)) break
      heap[i] = heap[least] as Entry<A>
      i = least
    }
    heap[i] = last
    return first
  }
}
