import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** SQL for the newest block that the node calls final, or that is too old to be replaced; from `chain_cursor`. */
export const finalBlockSql = (reorgDepth: number): string => `greatest(finalized, block - ${reorgDepth})`

const first = ([row]: ReadonlyArray<{ readonly block: number }>) => row?.block ?? -1

/** The newest block with so many blocks after it; -1 while the ledger is empty. */
export const confirmedBlock = (sql: SqlClient, confirmations: number) =>
  Effect.map(sql<{ block: number }>`select block - ${confirmations}::int as block from chain_cursor`, first)

/** The newest final block; -1 while the ledger is empty. */
export const finalBlock = (sql: SqlClient, reorgDepth: number) =>
  Effect.map(sql<{ block: number }>`select ${sql.literal(finalBlockSql(reorgDepth))} as block from chain_cursor`, first)
