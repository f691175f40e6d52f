import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { boardsCover } from "./boardsCover.ts"
import type { Within } from "./model.ts"
import { boardPrices, tradePrices } from "./openPrices.ts"
import { sumPositions, sumSinceBoards } from "./SumsStore.ts"

/** Sums of wallets as of the newest block: from the boards, or from all positions where boards do not suffice. */
export const walletSums = (sql: SqlClient) => {
  const isCovered = boardsCover(sql)
  return Effect.fnUntraced(function* (wallets: ReadonlyArray<number | undefined>, within: Within) {
    const found = yield* within.kind === "tokens"
      ? sumPositions(sql, wallets, within, boardPrices)
      : sumSinceBoards(sql, wallets, within)
    return (yield* isCovered(found)) ? found : yield* sumPositions(sql, wallets, within, tradePrices)
  })
}
