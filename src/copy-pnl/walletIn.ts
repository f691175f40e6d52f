import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { HistoryMissing, historyIsIn } from "#src/ledger/historyIsIn.ts"
import { type Address, bytesOf } from "./model.ts"

/** The number of one that never traded, which no wallet has. */
const nobody = 0

/** The wallet's number in a ledger that has the whole history. */
export const walletIn = Effect.fnUntraced(function* (sql: SqlClient, wallet: Address) {
  const [row] = yield* sql<{ id: number | null; is_in: boolean }>`
    select (select id from wallet where address = ${bytesOf(wallet)}) as id, ${historyIsIn(sql)} as is_in`
  return row?.is_in === true ? (row.id ?? nobody) : yield* new HistoryMissing()
})
