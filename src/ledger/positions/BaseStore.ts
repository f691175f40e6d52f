import { Array as Arr, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Position } from "./model.ts"
import { insertBase, type PositionRow, positionOf } from "./PositionStore.ts"

const rowsPerStatement = 10_000

/** Positions as they were before the first fact that is left, if older ones were dropped. */
export const read = Effect.fnUntraced(function* (sql: SqlClient) {
  const rows = yield* sql<PositionRow>`select * from position_base`
  return rows.map(positionOf)
})

export const replace = Effect.fnUntraced(function* (sql: SqlClient, positions: Iterable<Position>) {
  yield* sql`truncate position_base`
  for (const part of Arr.chunksOf(positions, rowsPerStatement)) yield* insertBase(sql, part)
})
