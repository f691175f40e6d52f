import { type Pace, TokenBucket } from "./TokenBucket.ts"

/** The connection is closed once it has this many more refused than accepted messages. */
export const maxRefusals = 100

/** Characters that cost one token. */
const charactersPerToken = 16_384

/** Accept the message, refuse it with an error frame, or close the connection. */
type MessageDecision = "ok" | "refuse" | "close"

/** Limits the message rate of one connection. */
export class MessageRate {
  readonly #bucket: TokenBucket
  #refusals = 0

  constructor(pace: Pace, now: number) {
    this.#bucket = new TokenBucket(pace, now)
  }

  /** A long message costs several tokens. */
  decide(pace: Pace, now: number, length = 0): MessageDecision {
    if (this.#bucket.take(pace, now, 1 + Math.floor(length / charactersPerToken))) {
      this.#refusals = Math.max(0, this.#refusals - 1)
      return "ok"
    }
    this.#refusals += 1
    return this.#refusals > maxRefusals ? "close" : "refuse"
  }
}
