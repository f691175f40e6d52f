import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { isAtLeast } from "#src/domain/Plan.ts"
import { Api } from "../../Api.ts"
import { CurrentCaller } from "../../middleware/AccessControl.ts"
import { listLimit } from "../../v3/parameters.ts"
import { positionAnswers } from "./pages.ts"

export const PositionPagesHandlers = HttpApiBuilder.group(
  Api,
  "positionPages",
  Effect.fnUntraced(function* (handlers) {
    const { positions, holders } = yield* positionAnswers
    return handlers
      .handleRaw("all", ({ query }) => positions(query, undefined, "recent"))
      .handleRaw("ofWallet", ({ params: { address }, query }) => positions(query, address, "realized_pnl"))
      .handleRaw("ofToken", ({ params: { token_id }, query }) =>
        holders(query, { tokenId: token_id }, { token_id }, "pnl"),
      )
      .handleRaw("ofCondition", ({ params: { condition_id }, query }) =>
        Effect.flatMap(CurrentCaller, ({ plan }) => {
          const most = isAtLeast(plan, "growth") ? Number.POSITIVE_INFINITY : listLimit.max
          const limit = Math.min(query.limit ?? listLimit.default, most)
          return holders({ ...query, limit }, { conditionId: condition_id }, { condition_id }, "pnl")
        }),
      )
      .handleRaw("ofSlug", ({ params: { slug }, query }) =>
        holders(query, { marketSlug: slug }, { slug }, "realized_pnl"),
      )
  }),
)
