import { Context, type Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"

/** Runs inside a rollback's transaction, before the ledger deletes anything after the fork. */
export class RollbackHook extends Context.Service<
  RollbackHook,
  { readonly beforeRollback: (sql: SqlClient, fork: number) => Effect.Effect<void, SqlError> }
>()("presage/ledger/RollbackHook") {}
