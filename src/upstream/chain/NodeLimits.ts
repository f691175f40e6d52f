import type { LearntLimits } from "./KeptLimits.ts"
import type { NodeRefusal } from "./refusals.ts"

/** Advised by most providers; some accept fewer. */
const mostCalls = 100

/** Successful requests after which one more is sent at a time. */
const requestsPerPermit = 100

/** The width to ask for instead of a refused one; undefined if the node does not say. */
export const suggestedBlocks = (blocks: number, { maxBlocks, fittingBlocks = 0 }: NodeRefusal): number | undefined => {
  // Providers count either blocks or the distance between the first and the last.
  if (maxBlocks !== undefined) return Math.max(1, Math.min(maxBlocks, blocks - 1))
  return fittingBlocks >= 1 && fittingBlocks < blocks ? fittingBlocks : undefined
}

/** What a node accepts, learnt from its refusals. */
export class NodeLimits {
  readonly #maxPermits: () => number
  #calls = mostCalls
  #blocks: number | undefined
  #addresses = Number.POSITIVE_INFINITY
  #permits: number
  #succeeded = 0
  #pausedUntil = 0
  /** Runs when calls or blocks have become fewer. */
  onLearnt: () => void = () => {}

  constructor(maxPermits: () => number) {
    this.#maxPermits = maxPermits
    this.#permits = maxPermits()
  }

  /** Calls in one request. */
  get calls(): number {
    return this.#calls
  }

  /** Blocks in one range, if the node limits them. */
  get blocks(): number | undefined {
    return this.#blocks
  }

  /** Addresses in one filter. */
  get addresses(): number {
    return this.#addresses
  }

  /** Requests at a time. */
  get permits(): number {
    return Math.min(this.#permits, this.#maxPermits())
  }

  /** Until when the node wants no requests, in milliseconds. */
  get pausedUntil(): number {
    return this.#pausedUntil
  }

  refusedBatch(calls: number, { maxCalls }: NodeRefusal): void {
    this.#calls = Math.max(1, Math.min(this.#calls, maxCalls ?? Math.floor(calls / 2), calls - 1))
    this.onLearnt()
  }

  refusedRange(blocks: number, refusal: NodeRefusal): void {
    if (refusal.maxBlocks === undefined) return
    const allowed = suggestedBlocks(blocks, refusal)
    // The ledger's own refusal of a range that is too wide repeats what is known.
    if (allowed === this.#blocks) return
    this.#blocks = allowed
    this.onLearnt()
  }

  /** Returns whether fewer addresses than in the refused filter are left to try. Not kept: one refusal teaches it again. */
  refusedAddresses(count: number): boolean {
    const fewer = Math.floor(Math.min(count, this.#addresses) / 2)
    if (fewer < 1) return false
    this.#addresses = fewer
    return true
  }

  /** Begins with what was learnt earlier. */
  restore({ calls, blocks }: Pick<LearntLimits, "calls" | "blocks">): void {
    this.#calls = Math.min(mostCalls, calls)
    this.#blocks = blocks
  }

  /** Tries everything again. */
  forget(): void {
    this.#calls = mostCalls
    this.#blocks = undefined
    this.#addresses = Number.POSITIVE_INFINITY
  }

  /** Returns whether more requests may be sent at a time. */
  succeeded(): boolean {
    this.#succeeded += 1
    if (this.#succeeded % requestsPerPermit !== 0 || this.#permits >= this.#maxPermits()) return false
    this.#permits += 1
    return true
  }

  /** Halves the requests at a time, once for those that were sent together. */
  rateLimited(now: number, pauseMillis: number): void {
    if (now >= this.#pausedUntil) this.#permits = Math.max(1, Math.floor(this.#permits / 2))
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMillis)
  }
}
