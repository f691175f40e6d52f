import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { boardsCover } from "./boardsCover.ts"
import type { Within } from "./model.ts"
import { sumPositions, sumSinceBoards } from "./SumsStore.ts"

/** Sums of wallets as of the newest block: from the boards, or from all positions where boards do not suffice. */
export const walletSums = (sql: SqlClient) => {
  const isCovered = boardsCover(sql)
  return Effect.fnUntraced(function* (wallets: ReadonlyArray<number | undefined>, within: Within) {
    if (within.kind === "tokens") return yield* sumPositions(sql, wallets, within)
    const found = yield* sumSinceBoards(sql, wallets, within)
    return (yield* isCovered(found)) ? found : yield* sumPositions(sql, wallets, within)
  })
}
