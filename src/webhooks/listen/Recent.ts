/** Remembers the last names that it was told. */
export class Recent {
  readonly #names = new Set<string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  add(name: string): void {
    this.#names.add(name)
    if (this.#names.size <= this.#most) return
    for (const oldest of this.#names) {
      this.#names.delete(oldest)
      return
    }
  }
}
