import { Duration, Effect } from "effect"
import { isCovered } from "#src/leaderboards/all-time/covered.ts"
import type { Reached } from "#src/leaderboards/model.ts"
import { leaderboardsRebuildAfter } from "#src/leaderboards/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { rollingDifferences, standingDifferences } from "../boardDifferences.ts"
import { type Check, check, type Picture } from "./Check.ts"

const remedy = "run: presage rebuild positions"

interface State extends Reached {
  readonly stale: boolean
  readonly behind: number | null
  /** For how long the ledger has gone on without them: where nothing runs, neither does. */
  readonly stood: number
}

const spelled = (millis: number) => Duration.format(Duration.seconds(Math.round(millis / 1000)))

const behindBy = (blocks: number, millis: number) =>
  blocks <= 0 ? "where the ledger is" : `${blocks} blocks and ${spelled(Math.max(0, millis))} behind the ledger`

/** The boards are sums over the ledger as it was at the block that they stand at. */
export const checkBoards = Effect.fnUntraced(function* ({ sql, block }: Picture) {
  const [state] = yield* sql<State>`
    select s.block, s.at, s.stale, (extract(epoch from b.at - s.at) * 1000)::float8 as behind,
      (extract(epoch from c.updated_at - s.refreshed_at) * 1000)::float8 as stood
    from leaderboard_state s cross join chain_cursor c left join block b on b.number = c.block`
  if (state === undefined) return { check: "boards", ok: true, detail: "not built yet" } satisfies Check
  const limit = Duration.toMillis((yield* Configuration).get(leaderboardsRebuildAfter))
  const behind = behindBy(block - state.block, state.behind ?? 0)
  if (block > state.block && state.stood > limit) {
    return {
      check: "boards",
      ok: false,
      detail: `have stood still for ${spelled(state.stood)}, ${behind}`,
    } satisfies Check
  }
  if (state.stale || !(yield* isCovered(sql, state.block, block))) {
    return { check: "boards", ok: true, detail: `about to be built anew, ${behind}` } satisfies Check
  }
  const rolling = yield* rollingDifferences(sql, state)
  const standing = yield* standingDifferences(sql, state)
  return check(
    "boards",
    rolling.wrong + standing.wrong,
    `${rolling.rows + standing.rows} rows are the sums that they should be at block ${state.block}, ${behind}`,
    `${rolling.wrong} rows of the last days and ${standing.wrong} of all time are not the sums that they should be; ${remedy}`,
  )
})
