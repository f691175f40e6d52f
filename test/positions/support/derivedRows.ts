import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** Every row of what follows from the facts, as text; of what settled already there is nothing more to take back. */
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
