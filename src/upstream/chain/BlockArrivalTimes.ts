import { LRUCache } from "lru-cache"
import type { BlockHeader } from "./header.ts"

/** Result of comparing a reported block time with earlier reports. */
export type TimeCheck =
  /** First report. */
  | "new"
  | "confirmed"
  /** Differs from the report before: one of the two is wrong. */
  | "contradicted"
  /** Two reports agree on another time than two earlier ones did. */
  | "revised"

interface Reports {
  latest: number
  agreed: number | undefined
}

const maxBlocks = 5_000

/** The block times that a node reported. A block's hash covers its time, so the time of a hash cannot change. */
export class BlockArrivalTimes {
  readonly #byHash = new LRUCache<string, Reports>({ max: maxBlocks })

  record({ hash, at }: Pick<BlockHeader, "hash" | "at">): TimeCheck {
    const reports = this.#byHash.get(hash)
    if (reports === undefined) {
      this.#byHash.set(hash, { latest: at, agreed: undefined })
      return "new"
    }
    const isRepeated = reports.latest === at
    reports.latest = at
    if (reports.agreed === at) return "confirmed"
    if (!isRepeated) return "contradicted"
    const isFirst = reports.agreed === undefined
    reports.agreed = at
    return isFirst ? "confirmed" : "revised"
  }

  isConfirmed({ hash, at }: BlockHeader): boolean {
    return this.#byHash.get(hash)?.agreed === at
  }

  /** Whether a block is older than its parent, if the parent's time is confirmed. */
  isBeforeParent({ parentHash, at }: BlockHeader): boolean {
    return at < (this.#byHash.get(parentHash)?.agreed ?? at)
  }
}
