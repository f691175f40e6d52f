import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { historyIsIn } from "#src/ledger/historyIsIn.ts"
import { type Address, bytesOf } from "./model.ts"

/** The history is still being read: what there is of a wallet would be taken for all. */
export class HistoryMissing extends Schema.TaggedError<HistoryMissing>()("HistoryMissing", {}) {
  override get message() {
    return "history_missing"
  }
}

/** The number of one that never traded, which no wallet has. */
const nobody = 0

/** The wallet's number in a ledger that has the whole history. */
export const walletIn = Effect.fnUntraced(function* (sql: SqlClient, wallet: Address) {
  const [row] = yield* sql<{ id: number | null; is_in: boolean }>`
    select (select id from wallet where address = ${bytesOf(wallet)}) as id, ${historyIsIn(sql)} as is_in`
  return row?.is_in === true ? (row.id ?? nobody) : yield* new HistoryMissing()
})
