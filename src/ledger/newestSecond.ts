import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"

/** Unix second of the ledger's newest block: what happened later is not in it yet. Undefined before the first block. */
export const newestSecond = (sql: SqlClient): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(
    sql<{ second: number }>`
      select floor(extract(epoch from b.at))::float8 as second
      from chain_cursor c join block b on b.number = c.block`,
    ([row]) => row?.second,
  )
