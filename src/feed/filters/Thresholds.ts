import type { Usdc } from "#src/domain/amounts.ts"

/** Entries ordered by the minimum that they ask for. */
export class Thresholds<A> {
  /** Ascending. */
  readonly #minimums: Array<Usdc> = []
  readonly #entries: Array<A> = []

  add(minimum: Usdc, entry: A): void {
    const index = this.#firstAbove(minimum)
    this.#minimums.splice(index, 0, minimum)
    this.#entries.splice(index, 0, entry)
  }

  remove(minimum: Usdc, entry: A): void {
    const index = this.#entries.lastIndexOf(entry, this.#firstAbove(minimum) - 1)
    if (index < 0) return
    this.#minimums.splice(index, 1)
    this.#entries.splice(index, 1)
  }

  /** Visits the entries that an amount suffices for. */
  upTo(amount: Usdc | undefined, visit: (entry: A) => void): void {
    if (amount === undefined) return
    const end = this.#firstAbove(amount)
    for (const entry of this.#entries.slice(0, end)) visit(entry)
  }

  #firstAbove(amount: Usdc): number {
    let [from, to] = [0, this.#minimums.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#minimums[middle] ?? 0) > amount) to = middle
      else from = middle + 1
    }
    return from
  }
}
