import { Effect } from "effect"
import { rollingDifferences, standingDifferences } from "#src/leaderboards/differences.ts"
import type { Reached } from "#src/leaderboards/model.ts"
import { isCovered } from "#src/leaderboards/standing/covered.ts"
import { type Check, check, type Picture } from "./Check.ts"

const remedy = "run: presage rebuild positions"

/** The boards are sums over the ledger as it was at the block that they stand at. */
export const checkBoards = Effect.fnUntraced(function* ({ sql, block }: Picture) {
  const skipped = (why: string): Check => ({ check: "boards", ok: true, detail: why })
  const [state] = yield* sql<Reached & { stale: boolean }>`select block, at, stale from leaderboard_state`
  if (state === undefined) return skipped("not built yet")
  if (state.stale || !(yield* isCovered(sql, state.block, block))) return skipped("about to be built anew")
  const rolling = yield* rollingDifferences(sql, state)
  const standing = yield* standingDifferences(sql, state)
  return check(
    "boards",
    rolling.wrong + standing.wrong,
    `${rolling.rows + standing.rows} rows are the sums that they should be at block ${state.block}`,
    `${rolling.wrong} rows of the last days and ${standing.wrong} of all time are not the sums that they should be; ${remedy}`,
  )
})
