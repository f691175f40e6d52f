import { Duration, Effect } from "effect"
import { isCovered } from "#src/leaderboards/all-time/pastPositions.ts"
import type { CountedBlock } from "#src/leaderboards/model.ts"
import { leaderboardsRebuildAfter } from "#src/leaderboards/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { allTimeDifferences, holdingDifferences, rollingDifferences } from "../boardDifferences.ts"
import { type Check, check, type VerifySnapshot } from "./Check.ts"

const remedy = "run: presage rebuild positions"

interface State extends CountedBlock {
  readonly stale: boolean
  readonly behind: number | null
  /** How long the ledger has advanced without a refresh; a stopped service does not count. */
  readonly idle: number
}

const formatted = (millis: number) => Duration.format(Duration.seconds(Math.round(millis / 1000)))

const behindBy = (blocks: number, millis: number) =>
  blocks <= 0
    ? "up to date with the ledger"
    : `${blocks} blocks and ${formatted(Math.max(0, millis))} behind the ledger`

/** The boards are sums over the ledger at their own block. */
export const checkBoards = Effect.fnUntraced(function* ({ sql, block }: VerifySnapshot) {
  const [state] = yield* sql<State>`
    select s.block, s.at, s.stale, (extract(epoch from b.at - s.at) * 1000)::float8 as behind,
      (extract(epoch from c.updated_at - s.refreshed_at) * 1000)::float8 as idle
    from leaderboard_state s cross join chain_cursor c left join block b on b.number = c.block`
  if (state === undefined) return { check: "boards", ok: true, detail: "not built yet" } satisfies Check
  const limit = Duration.toMillis((yield* Configuration).get(leaderboardsRebuildAfter))
  const behind = behindBy(block - state.block, state.behind ?? 0)
  if (block > state.block && state.idle > limit) {
    return {
      check: "boards",
      ok: false,
      detail: `not refreshed for ${formatted(state.idle)}, ${behind}`,
    } satisfies Check
  }
  if (state.stale || !(yield* isCovered(sql, state.block, block))) {
    return { check: "boards", ok: true, detail: `about to be rebuilt, ${behind}` } satisfies Check
  }
  const rolling = yield* rollingDifferences(sql, state)
  const allTime = yield* allTimeDifferences(sql, state)
  const holdings = yield* holdingDifferences(sql, state)
  return check(
    "boards",
    rolling.wrong + allTime.wrong + holdings.wrong,
    `${rolling.rows + allTime.rows + holdings.rows} rows match the ledger at block ${state.block}, ${behind}`,
    `${rolling.wrong} rows of the rolling boards, ${allTime.wrong} of the all-time boards and ${holdings.wrong} open holdings do not match the ledger; ${remedy}`,
  )
})
