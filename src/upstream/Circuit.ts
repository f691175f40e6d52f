/** After this many consecutive failures requests pause; then a single request probes the upstream. */
const failuresToOpen = 8
const initialPauseMillis = 1_000
const maxPauseMillis = 30_000

/** Circuit breaker of an upstream: requests fail fast while it is down. */
export class Circuit {
  #failures = 0
  #pauseMillis = initialPauseMillis
  #openUntil = 0
  #isProbing = false

  /** Whether a request is allowed. While the circuit is open, one request at a time probes the upstream. */
  admit(now: number): boolean {
    if (this.#failures < failuresToOpen) return true
    if (now < this.#openUntil || this.#isProbing) return false
    this.#isProbing = true
    return true
  }

  succeeded(): void {
    this.#failures = 0
    this.#pauseMillis = initialPauseMillis
    this.#isProbing = false
  }

  failed(now: number): void {
    this.#failures += 1
    this.#isProbing = false
    if (this.#failures < failuresToOpen) return
    this.#openUntil = now + this.#pauseMillis
    this.#pauseMillis = Math.min(maxPauseMillis, this.#pauseMillis * 2)
  }

  /** The request ended without a result, for example because it was interrupted. */
  abandoned(): void {
    this.#isProbing = false
  }

  get isOpen(): boolean {
    return this.#failures >= failuresToOpen
  }
}

/** The circuit breakers of an upstream's servers; most upstreams have one. */
export class Circuits {
  readonly #byServer = new Map<string, Circuit>()

  of(server = ""): Circuit {
    const circuit = this.#byServer.get(server) ?? new Circuit()
    this.#byServer.set(server, circuit)
    return circuit
  }

  /** Whether no server gets requests. */
  get areOpen(): boolean {
    const circuits = [...this.#byServer.values()]
    return circuits.length > 0 && circuits.every(({ isOpen }) => isOpen)
  }
}
