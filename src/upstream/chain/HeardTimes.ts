import type { BlockHeader } from "./header.ts"

/** What one more answer says about the time of a block. */
export type Hearing =
  /** Nobody has said anything about it before. */
  | "new"
  | "confirmed"
  /** It is not what was said before: one of the two is wrong. */
  | "contradicted"
  /** The time that two answers agreed on before is not the one that two agree on now. */
  | "revised"

interface Heard {
  latest: number
  agreed: number | undefined
}

const mostRemembered = 5_000

/** What a node said about the times of blocks. A block's hash stands for its time too, so that it cannot change. */
export class HeardTimes {
  readonly #byHash = new Map<string, Heard>()

  hear({ hash, at }: BlockHeader): Hearing {
    const heard = this.#byHash.get(hash)
    if (heard === undefined) {
      this.#byHash.set(hash, { latest: at, agreed: undefined })
      this.#forgetOldest()
      return "new"
    }
    const isSaidAgain = heard.latest === at
    heard.latest = at
    if (heard.agreed === at) return "confirmed"
    if (!isSaidAgain) return "contradicted"
    const isFirst = heard.agreed === undefined
    heard.agreed = at
    return isFirst ? "confirmed" : "revised"
  }

  /** Whether a block is older than the one it follows on, as far as that is known. */
  isBeforeParent({ parentHash, at }: BlockHeader): boolean {
    return at < (this.#byHash.get(parentHash)?.agreed ?? at)
  }

  #forgetOldest(): void {
    if (this.#byHash.size <= mostRemembered) return
    for (const hash of this.#byHash.keys()) {
      this.#byHash.delete(hash)
      return
    }
  }
}
