/** Things by the least amount that they ask for. */
export class Thresholds<A> {
  /** Rising. */
  readonly #least: Array<number> = []
  readonly #of: Array<A> = []

  add(least: number, one: A): void {
    const place = this.#after(least)
    this.#least.splice(place, 0, least)
    this.#of.splice(place, 0, one)
  }

  remove(least: number, one: A): void {
    const place = this.#of.lastIndexOf(one, this.#after(least) - 1)
    if (place < 0) return
    this.#least.splice(place, 1)
    this.#of.splice(place, 1)
  }

  /** Those that this amount is enough for. */
  upTo(amount: number | undefined, use: (one: A) => void): void {
    if (amount === undefined) return
    const end = this.#after(amount)
    for (const one of this.#of.slice(0, end)) use(one)
  }

  /** Where those begin that ask for more. */
  #after(amount: number): number {
    let [from, to] = [0, this.#least.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#least[middle] ?? 0) > amount) to = middle
      else from = middle + 1
    }
    return from
  }
}
