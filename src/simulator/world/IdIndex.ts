/** Finds entries of a growing list by ids that take long to compute, and are therefore computed on first use. */
export class IdIndex<Entry> {
  readonly #entries: ReadonlyArray<Entry>
  readonly #idOf: (entry: Entry) => string
  /** Entries that are searched before the others. */
  readonly #isLikely: (entry: Entry) => boolean
  readonly #known = new Map<string, Entry>()
  /** The ids of this many entries, from the first, are known. */
  #searched = 0

  constructor(entries: ReadonlyArray<Entry>, idOf: (entry: Entry) => string, isLikely: (entry: Entry) => boolean) {
    this.#entries = entries
    this.#idOf = idOf
    this.#isLikely = isLikely
  }

  /** Adds an id when it is computed. */
  add(id: string, entry: Entry): string {
    this.#known.set(id, entry)
    return id
  }

  /** Clients mostly ask for ids that they were sent, which were computed then. */
  find(id: string): Entry | undefined {
    return this.#known.get(id) ?? this.#search(id)
  }

  #search(id: string): Entry | undefined {
    const isFound = (entry: Entry) => this.#idOf(entry) === id
    if (this.#searched < this.#entries.length) {
      const likely = this.#entries.find((entry) => this.#isLikely(entry) && isFound(entry))
      if (likely !== undefined) return likely
    }
    while (this.#searched < this.#entries.length) {
      const entry = this.#entries[this.#searched++] as Entry
      if (isFound(entry)) return entry
    }
    return undefined
  }
}
