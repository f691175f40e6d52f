import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Position } from "./model.ts"

/** A position that a block touched, and its state before, if it existed. */
export interface UndoNote {
  readonly block: number
  readonly wallet: number
  readonly token: number
  readonly before: Position | undefined
}

/** States of positions before each block, recorded while facts are applied in chain order. */
export class UndoNotes {
  readonly all: Array<UndoNote> = []
  readonly #touched = new Set<Position>()
  #block: number | undefined

  /** Only a block's first change of a position counts: before it, the position is as earlier blocks left it. */
  record(block: number, position: Position, before: Position | undefined): void {
    if (block !== this.#block) this.#touched.clear()
    this.#block = block
    if (this.#touched.has(position)) return
    this.#touched.add(position)
    const { wallet, token } = position
    this.all.push({ block, wallet, token, before: before && { ...before } })
  }
}

/**
 * The first block that can be undone. After a backfill not all of the last `depth` blocks can: only those that were read by
 * hash, which have a parent, up to the cursor.
 */
export const firstUndoable = Effect.fnUntraced(function* (sql: SqlClient, cursor: number, depth: number) {
  const lowest = cursor - depth + 1
  const [row] = yield* sql<{ linked: number; noted: number | null }>`
    select coalesce((
      select max(n) + 1 from generate_series(${lowest}::int, ${cursor}::int) n
      where not exists (select from block b where b.number = n and b.parent is not null)), ${lowest}::int) as linked,
      (select min(block) from position_undo where block between ${lowest} and ${cursor}) as noted`
  return Math.min(row?.linked ?? cursor + 1, row?.noted ?? cursor + 1)
})
