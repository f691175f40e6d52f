import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { HistoryIncomplete, historyIsComplete } from "#src/ledger/historyIsComplete.ts"
import { type Address, bytesOf } from "./model.ts"

/** An id that no wallet has, for a wallet that never traded. */
const neverTraded = 0

/** The wallet's dictionary id; fails while the history is incomplete. */
export const walletIdOf = Effect.fnUntraced(function* (sql: SqlClient, wallet: Address) {
  const [row] = yield* sql<{ id: number | null; is_in: boolean }>`
    select (select id from wallet where address = ${bytesOf(wallet)}) as id, ${historyIsComplete(sql)} as is_in`
  return row?.is_in === true ? (row.id ?? neverTraded) : yield* new HistoryIncomplete()
})
