import type { Micro } from "../../world/model.ts"
import type { Book, Level } from "../../world/orderBook.ts"
import type { SideName } from "../lastTrade.ts"

/** A price at which something else waits than before; nothing, where `shares` is 0. */
export interface LevelChange {
  readonly side: SideName
  /** In 1/1000. */
  readonly price: number
  readonly shares: Micro
}

const changedLevels = (
  side: SideName,
  before: ReadonlyArray<Level>,
  after: ReadonlyArray<Level>,
): ReadonlyArray<LevelChange> => {
  const known = new Map(before.map(({ price, shares }) => [price, shares]))
  const changes: Array<LevelChange> = []
  for (const { price, shares } of after) {
    if (known.get(price) !== shares) changes.push({ side, price, shares })
    known.delete(price)
  }
  for (const price of known.keys()) changes.push({ side, price, shares: 0 })
  return changes
}

/** What turns one book into another. */
export const changesOf = (before: Book, after: Book): ReadonlyArray<LevelChange> => [
  ...changedLevels("BUY", before.bids, after.bids),
  ...changedLevels("SELL", before.asks, after.asks),
]
