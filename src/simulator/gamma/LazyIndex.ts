/**
 * Finds markets by an id that is slow to compute. It is computed for the newest markets first and only until what was
 * asked for is found: hardly anyone asks for old ones, and all of them would delay the start by seconds.
 */
export class LazyIndex<A> {
  readonly #items: ReadonlyArray<A>
  readonly #keyOf: (item: A) => string
  readonly #known = new Map<string, A>()
  /** Items in [low, high) are known. */
  #low: number
  #high: number

  constructor(items: ReadonlyArray<A>, keyOf: (item: A) => string) {
    this.#items = items
    this.#keyOf = keyOf
    this.#low = items.length
    this.#high = items.length
  }

  find(key: string): A | undefined {
    while (this.#high < this.#items.length) this.#learn(this.#high++)
    while (this.#low > 0 && !this.#known.has(key)) this.#learn(--this.#low)
    return this.#known.get(key)
  }

  #learn(index: number): void {
    const item = this.#items[index] as A
    this.#known.set(this.#keyOf(item), item)
  }
}
