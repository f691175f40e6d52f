import { hash, seedOf } from "../random.ts"
import type { Fault } from "./Fault.ts"

/** A fault that struck; the roll decides whatever else about it is left to chance. */
export interface Hit {
  readonly fault: Fault
  readonly roll: number
}

/** A fault with what it has come to. */
export class LiveFault {
  readonly fault: Fault
  readonly #seed: number
  /** Requests or messages that it could have hit. */
  seen = 0
  hits = 0

  constructor(fault: Fault, seed: number) {
    this.fault = fault
    this.#seed = seedOf(seed, fault.id)
  }

  /** Whether it hits the next request or message: the same ones every time, given the same requests in the same order. */
  strike(): Hit | undefined {
    return this.#strikeAt(this.seen)
  }

  /** Whether it hits a connection: either all its messages or none. */
  strikeConnection(connection: number): Hit | undefined {
    return this.#strikeAt(connection)
  }

  #strikeAt(place: number): Hit | undefined {
    this.seen += 1
    if (hash(this.#seed, place, 1) >= this.fault.share * 0x100000000) return undefined
    this.hits += 1
    return { fault: this.fault, roll: hash(this.#seed, place, 2) }
  }
}
