import { activity, activity2 } from "./activity.ts"
import { builderBoard, builderBoard2, builderVolume, builderVolume2 } from "./builders.ts"
import { comboActivity, comboActivity2 } from "./combos/comboActivity.ts"
import { comboPositions, comboPositions2 } from "./combos/comboPositions.ts"
import { leaderboard, leaderboard2 } from "./leaderboard.ts"
import type { Params } from "./Params.ts"
import type { Answer } from "./page.ts"
import { closedPositions, marketPositions, positions } from "./positions.ts"
import { positions2 } from "./positions2.ts"
import { resolutions } from "./resolutions.ts"
import type { Sources } from "./sources.ts"
import { holders, liveVolume, openInterest, traded, value } from "./totals.ts"
import { trades, trades2 } from "./trades.ts"
import { userPnl } from "./userPnl.ts"
import { userStats } from "./userStats.ts"

type Routes<A> = Readonly<Record<string, (sources: Sources, params: Params) => A>>

export const firstRoutes: Routes<unknown> = {
  "/": () => ({ data: "OK" }),
  "/trades": ({ ledger }, params) => trades(ledger, params),
  "/activity": activity,
  "/positions": positions,
  "/closed-positions": closedPositions,
  "/holders": holders,
  "/value": value,
  "/traded": traded,
  "/oi": openInterest,
  "/live-volume": liveVolume,
  "/v1/leaderboard": leaderboard,
  "/v1/builders/leaderboard": builderBoard,
  "/v1/builders/volume": builderVolume,
  "/v1/market-positions": marketPositions,
  "/v1/positions/combos": comboPositions,
  "/v1/activity/combos": comboActivity,
}

export const secondRoutes: Routes<Answer> = {
  "/v2/trades": ({ ledger }, params) => trades2(ledger, params),
  "/v2/activity": activity2,
  "/v2/activity/combos": comboActivity2,
  "/v2/positions": positions2,
  "/v2/positions/combos": comboPositions2,
  "/v2/leaderboard": leaderboard2,
  "/v2/builders/leaderboard": builderBoard2,
  "/v2/builders/volume": builderVolume2,
  "/v2/user-pnl": userPnl,
  "/v2/user-stats": userStats,
  "/v2/resolutions": resolutions,
}
