import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** The history is still being read: what there is of a wallet would be taken for all. */
export class HistoryMissing extends Schema.TaggedError<HistoryMissing>()("HistoryMissing", {}) {
  override get message() {
    return "history_missing"
  }
}

/**
 * Whether the ledger once reached the newest block and its readers have their indexes: before that, half of a history
 * looks like all of it, and every look would read everything.
 */
export const historyIsIn = (sql: SqlClient) => sql`
  (exists (select from chain_cursor where caught_up_at is not null) and not exists (select from deferred_index))`

/** Whether somebody is at it, and needs all that this machine can do. */
export const historyIsBeingRead = (sql: SqlClient) => sql`exists (select from chain_cursor where caught_up_at is null)`

/** Fails until the history is in. It stays in, so that those who come later are not kept by the question. */
export const historyGuard = (sql: SqlClient) => {
  let isIn = false
  return Effect.gen(function* () {
    if (isIn) return
    const [row] = yield* sql<{ is_in: boolean }>`select ${historyIsIn(sql)} as is_in`
    if (row?.is_in !== true) return yield* new HistoryMissing()
    isIn = true
  })
}
