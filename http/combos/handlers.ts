import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Api } from "../Api.ts"
import { activityHandler } from "./activity/handler.ts"
import { leaderboardHandler } from "./leaderboard/handler.ts"
import { marketsHandler } from "./markets/handler.ts"
import { positionsHandler } from "./positions/handler.ts"
import { redemptionsHandler } from "./redemptions/handler.ts"
import { summaryHandler } from "./summary/handler.ts"
import { tradesHandler } from "./trades/handler.ts"

export const CombosHandlers = HttpApiBuilder.group(
  Api,
  "combos",
  Effect.fnUntraced(function* (handlers) {
    const activity = yield* activityHandler
    const redemptions = yield* redemptionsHandler
    return handlers
      .handleRaw("markets", yield* marketsHandler)
      .handleRaw("activity", ({ query }) => activity(query, query.wallet))
      .handleRaw("redemptions", ({ query }) => redemptions(query, query.wallet))
      .handleRaw("leaderboard", yield* leaderboardHandler)
      .handleRaw("positions", yield* positionsHandler)
      .handleRaw("walletActivity", ({ params: { address }, query }) => activity(query, address, { address }))
      .handleRaw("walletRedemptions", ({ params: { address }, query }) => redemptions(query, address, { address }))
      .handleRaw("summary", yield* summaryHandler)
      .handleRaw("trades", yield* tradesHandler)
  }),
)
