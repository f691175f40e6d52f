import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * The first block that left behind how to take it back. After the history was read, not all of the last `depth` blocks
 * did: only those that were asked for by their hashes, which know their parents.
 */
export const firstUndoable = Effect.fnUntraced(function* (sql: SqlClient, cursor: number, depth: number) {
  const lowest = cursor - depth + 1
  const [row] = yield* sql<{ linked: number | null; noted: number | null }>`
    select (
      select min(b.number) from block b join block p on p.number = b.number - 1
      where b.number between ${lowest} and ${cursor} and b.parent is not null and p.parent is not null) as linked,
      (select min(block) from position_undo where block between ${lowest} and ${cursor}) as noted`
  return Math.min(row?.linked ?? cursor + 1, row?.noted ?? cursor + 1)
})
