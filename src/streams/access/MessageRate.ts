import { type Pace, TokenBucket } from "./TokenBucket.ts"

/** Refusals in excess of messages that were taken, from which on nobody is taken to have made a mistake. */
export const mostRefusals = 100

/** Characters of a message that counts once. */
const lengthOfOne = 16_384

/** What becomes of a message: taken, refused with an error frame, or the end of the connection. */
export type MessageVerdict = "ok" | "refuse" | "close"

/** How fast one connection sends messages. */
export class MessageRate {
  readonly #bucket: TokenBucket
  #refusals = 0

  constructor(pace: Pace, now: number) {
    this.#bucket = new TokenBucket(pace, now)
  }

  /** A long message counts as several. */
  judge(pace: Pace, now: number, length = 0): MessageVerdict {
    if (this.#bucket.take(pace, now, 1 + Math.floor(length / lengthOfOne))) {
      this.#refusals = Math.max(0, this.#refusals - 1)
      return "ok"
    }
    this.#refusals += 1
    return this.#refusals > mostRefusals ? "close" : "refuse"
  }
}
