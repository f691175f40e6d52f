import type { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { CountedBlock, Rescoping } from "./model.ts"

type Step = Effect.Effect<void, SqlError>

/**
 * Sums per scope and wallet that follow the ledger. The steps run in this order in one transaction with one snapshot. Only
 * the cost of a rebuild depends on the length of the history.
 */
export interface Board {
  /** Rebuilds the board from the ledger into replacement tables (see replace.ts), and clears the recorded retractions. */
  readonly rebuild: (sql: SqlClient, to: CountedBlock) => Step
  /** Whether the ledger still has what `advance` needs; otherwise all boards are rebuilt. */
  readonly canAdvance?: (sql: SqlClient, from: CountedBlock, to: CountedBlock) => Effect.Effect<boolean, SqlError>
  /** Subtracts what the chain has retracted (`leaderboard_retracted_*`). */
  readonly retract: (sql: SqlClient, counted: CountedBlock) => Step
  /** Moves the sums of these tokens to other scopes. `leaderboard_token` still has the earlier scopes. */
  readonly rescope: (sql: SqlClient, counted: CountedBlock, moves: ReadonlyArray<Rescoping>) => Step
  /** Adds what happened since. */
  readonly advance: (sql: SqlClient, from: CountedBlock, to: CountedBlock) => Step
}
