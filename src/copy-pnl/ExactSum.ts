/** A sum of whole numbers, exact however large it becomes, that costs no more than one of small numbers while it is small. */
export class ExactSum {
  #small = 0
  #large = 0n

  /** A number that JavaScript holds exactly. */
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
