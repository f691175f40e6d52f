import type { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * Whether the ledger once reached the newest block and its readers have their indexes: before that, half of a history
 * looks like all of it, and every look would read everything.
 */
export const historyIsIn = (sql: SqlClient) => sql`
  (exists (select from chain_cursor where caught_up_at is not null) and not exists (select from deferred_index))`

/** Whether somebody is at it, and needs all that this machine can do. */
export const historyIsBeingRead = (sql: SqlClient) => sql`exists (select from chain_cursor where caught_up_at is null)`
