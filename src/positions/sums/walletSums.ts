import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { boardsCover } from "./boardsCover.ts"
import type { Within } from "./model.ts"
import { boardPrices, tradePrices } from "./openPrices.ts"
import { sumPositions, sumSinceBoards } from "./SumsStore.ts"

/** Sums of wallets as of the newest block: from the boards, or from all positions where boards do not suffice. */
export const walletSums = (sql: SqlClient) => {
  const boards = boardsCover(sql)
  return Effect.fnUntraced(function* (wallets: ReadonlyArray<number | undefined>, within: Within) {
    if (yield* boards.mayBeRight) {
      const found = yield* within.kind === "tokens"
        ? sumPositions(sql, wallets, within, boardPrices)
        : sumSinceBoards(sql, wallets, within)
      if (yield* boards.isRight(found)) return found
    }
    return yield* sumPositions(sql, wallets, within, tradePrices)
  })
}
