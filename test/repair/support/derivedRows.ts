import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** All rows that follow from the facts, as text; undo rows only of blocks that may still be replaced. */
export const derivedRows = (reorgDepth: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const positions = yield* sql<{ row: string }>`select p::text as row from position p order by wallet, token`
    const realized = yield* sql<{ row: string }>`
      select r::text as row from realized_event r order by block, log_index, sub`
    const undo = yield* sql<{ row: string }>`
      select u::text as row from position_undo u
      where block > (select block from chain_cursor) - ${reorgDepth}::int order by block, wallet, token`
    const text = (rows: ReadonlyArray<{ row: string }>) => rows.map(({ row }) => row)
    return { positions: text(positions), realized: text(realized), undo: text(undo) }
  })
