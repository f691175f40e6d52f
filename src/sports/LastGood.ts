/** The newest answers that were good, for when no source gives another. */
export class LastGood<A> {
  readonly #most: number
  readonly #answers = new Map<string, A>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): A | undefined {
    return this.#answers.get(key)
  }

  set(key: string, answer: A): void {
    // The newest entry of a map is its last one.
    this.#answers.delete(key)
    this.#answers.set(key, answer)
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > this.#most && oldest !== undefined) this.#answers.delete(oldest)
  }
}
