const widest = 10_000

/** Answers after a refusal until wider ranges are tried again. */
const cautiousAnswers = 100

/**
 * Blocks per request: as many as have about the wanted number of logs, and fewer than the node refused. Nodes limit either
 * blocks or logs; some limits are several times the wanted number of logs.
 */
export class RangeWidth {
  #blocks = 500
  #limit = widest
  #cautiousFor = 0
  /** Largest number of blocks that was answered since a refusal. */
  #answered = 0

  get blocks(): number {
    return this.#blocks
  }

  /** Aims the next answer at the wanted number of logs, with at most twice the blocks. */
  answered(blocks: number, logs: number, wanted: number): void {
    const fitting = Math.floor((blocks * wanted) / Math.max(1, logs))
    // A wider request was sent before a refusal; its answer must not widen the range again.
    const grown = blocks > this.#blocks ? this.#blocks : Math.max(this.#blocks, blocks * 2)
    this.#answered = Math.max(this.#answered, blocks)
    this.#cautiousFor -= 1
    if (this.#cautiousFor === 0) this.#limit = widest
    this.#blocks = Math.max(1, Math.min(fitting, grown, this.#limit))
  }

  /** The node may say how many blocks it would accept. */
  refused(blocks: number, suggested?: number): void {
    // Was in flight during an earlier refusal.
    if (blocks > this.#limit) return
    this.#cautiousFor = cautiousAnswers
    if (suggested !== undefined) {
      this.#limit = suggested
      this.#blocks = suggested
      this.#answered = 0
      return
    }
    // If fewer blocks were answered, the node may limit blocks. If more were, activity rises here.
    const isBlockLimit = this.#answered > 0 && this.#answered < blocks
    this.#limit = isBlockLimit ? this.#answered : Math.ceil(blocks / 2)
    this.#blocks = isBlockLimit ? this.#answered : Math.ceil(blocks / 32)
    this.#answered = 0
  }
}
