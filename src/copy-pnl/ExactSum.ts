/** An exact sum of integers of any size that costs no more than a number while it is small. */
export class ExactSum {
  #small = 0
  #large = 0n

  /** Takes a safe integer. */
  add(amount: number): void {
    const next = this.#small + amount
    if (Number.isSafeInteger(next)) {
      this.#small = next
      return
    }
    this.#large += BigInt(this.#small)
    this.#small = amount
  }

  get total(): bigint {
    return this.#large + BigInt(this.#small)
  }
}
