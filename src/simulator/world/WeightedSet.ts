/** Weighted items for proportional random draws (a Fenwick tree). */
export class WeightedSet {
  #sums = new Float64Array(1025)
  #weights = new Float64Array(1024)
  total = 0

  set(item: number, weight: number): void {
    while (item >= this.#weights.length) this.#grow()
    const change = weight - (this.#weights[item] as number)
    this.#weights[item] = weight
    this.total += change
    for (let i = item + 1; i < this.#sums.length; i += i & -i) this.#sums[i] = (this.#sums[i] as number) + change
  }

  weightOf(item: number): number {
    return this.#weights[item] ?? 0
  }

  /** Items with a weight, ascending. */
  items(): ReadonlyArray<number> {
    const items: Array<number> = []
    this.#weights.forEach((weight, item) => {
      if (weight > 0) items.push(item)
    })
    return items
  }

  /** The item at which the running sum passes `point` in [0, total). */
  at(point: number): number {
    let position = 0
    let left = point
    for (let step = this.#weights.length; step > 0; step >>= 1) {
      const next = position + step
      if (next < this.#sums.length && (this.#sums[next] as number) <= left) {
        position = next
        left -= this.#sums[next] as number
      }
    }
    return position
  }

  #grow(): void {
    const weights = this.#weights
    this.#weights = new Float64Array(weights.length * 2)
    this.#sums = new Float64Array(weights.length * 2 + 1)
    this.total = 0
    weights.forEach((weight, item) => {
      if (weight !== 0) this.set(item, weight)
    })
  }
}
