const widest = 10_000

/** Answers after which it is tried whether the node takes more by now. */
const cautiousFor = 100

/**
 * How many blocks are asked for at a time: as many as have about the logs that are wanted, and fewer than the node refused.
 * Nodes refuse too many blocks, or too many logs, which for some is several times what is wanted.
 */
export class RangeWidth {
  #blocks = 500
  #most = widest
  #cautious = 0
  /** The most that were answered since a refusal. */
  #answered = 0

  get blocks(): number {
    return this.#blocks
  }

  /** So that the next answer has about as many logs as wanted, though at most twice the blocks. */
  answered(blocks: number, logs: number, wanted: number): void {
    const fitting = Math.floor((blocks * wanted) / Math.max(1, logs))
    // Whatever was asked for before a refusal was wider, and says nothing of how wide it may be now.
    const grown = blocks > this.#blocks ? this.#blocks : Math.max(this.#blocks, blocks * 2)
    this.#answered = Math.max(this.#answered, blocks)
    this.#cautious -= 1
    if (this.#cautious === 0) this.#most = widest
    this.#blocks = Math.max(1, Math.min(fitting, grown, this.#most))
  }

  refused(blocks: number): void {
    // One of those that were on their way when it was refused.
    if (blocks > this.#most) return
    // If fewer blocks were answered it may be their number. If more were, much begins to happen here.
    const isNumber = this.#answered > 0 && this.#answered < blocks
    this.#most = isNumber ? this.#answered : Math.ceil(blocks / 2)
    this.#blocks = isNumber ? this.#answered : Math.ceil(blocks / 32)
    this.#cautious = cautiousFor
    this.#answered = 0
  }
}
