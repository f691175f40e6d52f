import { Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { periodDays } from "#src/copy-pnl/model.ts"
import { rank } from "#src/copy-pnl/rank.ts"
import { CurrentCaller } from "../../middleware/AccessControl.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import { coverageOf } from "../../v3/coverageOf.ts"
import { boardLimit, type CopyPnlGroup } from "../group.ts"
import { shownBoard, storeFailed } from "../translate.ts"

/** The followed wallets, ranked. */
export const leaderboardHandler = Effect.gen(function* () {
  const pools = yield* CopyPools
  const coverageNow = yield* coverageOf
  return Effect.fnUntraced(function* ({ query }: RequestOf<typeof CopyPnlGroup, "leaderboard">) {
    const { account } = yield* CurrentCaller
    const { period = "30d", sort_by = "backtest_copy_pnl_usdc", order = "desc" } = query
    const { limit = boardLimit.default, offset = 0, min_trade_count = 0 } = query
    const exclude_toxic = query.exclude_toxic === "true"
    const days = periodDays[period]
    const followed = yield* Effect.catch(pools.followed(account, [days]), storeFailed)
    const ranking = { days, sortBy: sort_by, order, minTrades: min_trade_count, excludeToxic: exclude_toxic }
    return HttpServerResponse.jsonUnsafe({
      period,
      sort_by,
      order,
      coverage: yield* coverageNow("facts"),
      filters: { min_trade_count, exclude_toxic },
      ...shownBoard(followed, rank(followed, ranking), { offset, limit }),
    })
  })
})
