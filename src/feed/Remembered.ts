/** What a process knows by heart; the longest unused is forgotten first. */
export class Remembered<K, V> {
  /** In the order of last use. */
  readonly #known = new Map<K, V>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: K): V | undefined {
    const found = this.#known.get(key)
    if (found === undefined) return undefined
    this.#known.delete(key)
    this.#known.set(key, found)
    return found
  }

  set(key: K, value: V): void {
    this.#known.set(key, value)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#most) return
      this.#known.delete(oldest)
    }
  }
}
