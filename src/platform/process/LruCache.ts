/** A bounded cache that evicts the least recently used entry. */
export class LruCache<K, V> {
  /** Least recently used first. */
  readonly #entries = new Map<K, V>()
  readonly #size: number

  constructor(size: number) {
    this.#size = size
  }

  get(key: K): V | undefined {
    const found = this.#entries.get(key)
    if (found === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, found)
    return found
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#size) return
      this.#entries.delete(oldest)
    }
  }
}
