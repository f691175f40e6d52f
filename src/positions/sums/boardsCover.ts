import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { isCovered } from "#src/leaderboards/all-time/pastPositions.ts"
import { isResolutionLate } from "#src/leaderboards/scopes.ts"

/** What an answer from the boards is based on. */
export interface BoardBlocks {
  /** The block that the boards count; undefined if there are none. */
  readonly counted: number | undefined
  /** The newest block; undefined while the ledger is empty. */
  readonly block: number | undefined
}

const readBlocks = (sql: SqlClient) =>
  Effect.map(
    sql<{ counted: number | null; block: number | null }>`
      select (select block from leaderboard_state where not stale) as counted, (select block from chain_cursor) as block`,
    ([row]): BoardBlocks => ({ counted: row?.counted ?? undefined, block: row?.block ?? undefined }),
  )

/**
 * Tells whether what changed since the boards' block can be added to them: not if there are no boards, if the ledger is too
 * far ahead of them, or if a resolution was learnt late. Checking that takes as long as an answer, so it is done once for
 * each block.
 */
export const boardsCover = (sql: SqlClient) => {
  let covered = ""
  /** A ledger that is too far ahead of this block stays so until the boards are refreshed. */
  let uncovered: number | undefined
  let didCover = true

  const check = Effect.fnUntraced(function* ({ counted, block }: BoardBlocks) {
    if (counted === undefined || block === undefined || counted === uncovered) return false
    const blocks = `${counted} ${block}`
    if (blocks === covered) return true
    if (yield* isResolutionLate(sql, counted)) return false
    if (counted !== block && !(yield* isCovered(sql, counted, block))) {
      uncovered = counted
      return false
    }
    covered = blocks
    return true
  })

  /** Whether an answer based on these blocks is right. */
  const isRight = (blocks: BoardBlocks) =>
    Effect.tap(check(blocks), (does) =>
      Effect.sync(() => {
        didCover = does
      }),
    )

  return {
    isRight,
    /** Whether to read from the boards at all. They are asked first only while they were of no use the last time. */
    mayBeRight: Effect.suspend(() => (didCover ? Effect.succeed(true) : Effect.flatMap(readBlocks(sql), isRight))),
  }
}
