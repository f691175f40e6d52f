import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { isCovered } from "#src/leaderboards/all-time/pastPositions.ts"

/** What an answer from the boards is based on. */
export interface BoardBlocks {
  /** The block that the boards count; undefined if there are none. */
  readonly counted: number | undefined
  /** The newest block; undefined while the ledger is empty. */
  readonly block: number | undefined
}

/**
 * Whether what changed since the boards' block could be added to them: not if there are no boards or the ledger is too far
 * ahead of them. Checking that takes as long as an answer, so it is done once for each block.
 */
export const boardsCover = (sql: SqlClient) => {
  let covered = ""
  return Effect.fnUntraced(function* ({ counted, block }: BoardBlocks) {
    if (counted === undefined || block === undefined) return false
    const blocks = `${counted} ${block}`
    if (blocks === covered || counted === block) return true
    if (!(yield* isCovered(sql, counted, block))) return false
    covered = blocks
    return true
  })
}
