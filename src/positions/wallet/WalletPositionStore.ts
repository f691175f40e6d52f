import { Effect } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { boardsCover } from "../sums/boardsCover.ts"
import { boardPrices, tradePrices } from "../sums/openPrices.ts"
import { fromBoards, knownTotals } from "./fromBoards.ts"
import { fromPositions } from "./fromPositions.ts"
import type { WalletQuery } from "./model.ts"

/**
 * The positions of a wallet in the order in which the ledger first saw their tokens, which never changes, and totals over
 * all of them, from one snapshot.
 */
export const walletPositionStore = (postgres: Postgres["Service"]) => {
  const [readBoards, readPositions] = [fromBoards(postgres), fromPositions(postgres)]
  const boards = boardsCover(postgres.sql)
  return Effect.fnUntraced(function* (query: WalletQuery) {
    if (yield* boards.mayBeRight) {
      const known = knownTotals(query.filter)
      const found =
        (known === undefined ? undefined : yield* readBoards(query, known)) ??
        (yield* readPositions(query, boardPrices))
      if (yield* boards.isRight(found)) return found.page
    }
    return (yield* readPositions(query, tradePrices)).page
  })
}
