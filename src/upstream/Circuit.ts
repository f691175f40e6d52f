/** After so many failures in a row an upstream is left alone for a while, and then tried by one request. */
const failuresToOpen = 8
const firstRestMillis = 1_000
const longestRestMillis = 30_000

/** Keeps requests away from an upstream that is down, so that they fail at once and it can come back. */
export class Circuit {
  #failures = 0
  #restMillis = firstRestMillis
  #openUntil = 0
  #isTrying = false

  /** Whether a request may go out; in the open state one at a time finds out whether things are better. */
  admit(now: number): boolean {
    if (this.#failures < failuresToOpen) return true
    if (now < this.#openUntil || this.#isTrying) return false
    this.#isTrying = true
    return true
  }

  succeeded(): void {
    this.#failures = 0
    this.#restMillis = firstRestMillis
    this.#isTrying = false
  }

  failed(now: number): void {
    this.#failures += 1
    this.#isTrying = false
    if (this.#failures < failuresToOpen) return
    this.#openUntil = now + this.#restMillis
    this.#restMillis = Math.min(longestRestMillis, this.#restMillis * 2)
  }

  /** The trial ended without telling anything, for example because nobody waited for it any more. */
  undecided(): void {
    this.#isTrying = false
  }

  get isOpen(): boolean {
    return this.#failures >= failuresToOpen
  }
}
