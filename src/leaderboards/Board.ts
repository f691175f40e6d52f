import type { Duration, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Reached, Rescoping } from "./model.ts"

type Step = Effect.Effect<void, SqlError>

/**
 * Sums per scope and wallet that move on with the ledger. The steps are taken in this order within one transaction of one
 * snapshot, and no board's cost depends on how long the history is, except that of building it.
 */
export interface Board {
  /** All of it, from the ledger as it is, into tables that take the place of others (see replace.ts). What is noted as taken back is forgotten. */
  readonly rebuild: (sql: SqlClient, to: Reached) => Step
  /** Whether the ledger still has what `advance` needs; if it has not, all boards are built anew. */
  readonly canAdvance?: (sql: SqlClient, from: Reached, to: Reached) => Effect.Effect<boolean, SqlError>
  /** Takes off what the chain has taken back of what is counted (`leaderboard_retracted_*`). */
  readonly retract: (sql: SqlClient, counted: Reached) => Step
  /** What is counted of these tokens goes over to other scopes. `leaderboard_token` still has the earlier ones. */
  readonly rescope: (sql: SqlClient, counted: Reached, moves: ReadonlyArray<Rescoping>) => Step
  /** Counts what happened meanwhile. */
  readonly advance: (sql: SqlClient, from: Reached, to: Reached) => Step
  /** Values what is open at prices of now, as far as it gets in that time; whether that was all. */
  readonly reprice?: (sql: SqlClient, time: Duration.Duration) => Effect.Effect<boolean, SqlError>
}
