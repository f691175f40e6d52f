import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** The backfill is still running: a wallet's partial history would look complete. */
export class HistoryIncomplete extends Schema.TaggedError<HistoryIncomplete>()("HistoryIncomplete", {}) {
  override get message() {
    return "history_missing"
  }
}

/**
 * SQL condition: the ledger has reached the newest block once and its indexes are restored. Before that, partial history
 * looks complete and every query scans whole tables.
 */
export const historyIsComplete = (sql: SqlClient) => sql`
  (exists (select from chain_cursor where caught_up_at is not null) and not exists (select from deferred_index))`

/** SQL condition: a backfill is running and needs the whole machine. */
export const historyIsBeingRead = (sql: SqlClient) => sql`exists (select from chain_cursor where caught_up_at is null)`

/** Fails until history is complete. It stays complete, so later calls skip the query. */
export const historyGuard = (sql: SqlClient) => {
  let isComplete = false
  return Effect.gen(function* () {
    if (isComplete) return
    const [row] = yield* sql<{ complete: boolean }>`select ${historyIsComplete(sql)} as complete`
    if (row?.complete !== true) return yield* new HistoryIncomplete()
    isComplete = true
  })
}
