import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { isCovered } from "#src/leaderboards/all-time/pastPositions.ts"
import type { Within } from "./model.ts"
import { sumPositions, sumSinceBoards } from "./SumsStore.ts"

/**
 * Sums of wallets as of the newest block: from the boards, or from all positions if there are no boards or the ledger is too
 * far ahead of them. Checking that takes as long as the sums, so it is done once for each block.
 */
export const walletSums = (sql: SqlClient) => {
  let covered = ""
  return Effect.fnUntraced(function* (wallets: ReadonlyArray<number | undefined>, within: Within) {
    if (within.kind === "tokens") return yield* sumPositions(sql, wallets, within)
    const found = yield* sumSinceBoards(sql, wallets, within)
    const { counted, asOf } = found
    if (counted !== undefined && asOf !== undefined) {
      const blocks = `${counted} ${asOf.block}`
      if (blocks === covered || counted === asOf.block) return found
      if (yield* isCovered(sql, counted, asOf.block)) {
        covered = blocks
        return found
      }
    }
    return yield* sumPositions(sql, wallets, within)
  })
}
