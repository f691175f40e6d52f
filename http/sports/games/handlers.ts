import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Api } from "../../Api.ts"
import { contextHandler } from "./context/handler.ts"
import { detailHandlers } from "./detail.ts"
import { eventKey, marketKey, slugKey } from "./find.ts"
import { historyHandlers } from "./history/handler.ts"
import { pricesHandlers } from "./prices/handler.ts"
import { stateHandlers } from "./state/handler.ts"

export const GamesHandlers = HttpApiBuilder.group(
  Api,
  "sportsGames",
  Effect.fnUntraced(function* (handlers) {
    const detail = yield* detailHandlers
    const state = yield* stateHandlers
    const prices = yield* pricesHandlers
    const history = yield* historyHandlers
    const context = yield* contextHandler
    return handlers
      .handleRaw("bySlug", detail.bySlug)
      .handleRaw("byEvent", detail.byEvent)
      .handleRaw("byMarket", detail.byMarket)
      .handleRaw("stateBySlug", state.bySlug)
      .handleRaw("stateByEvent", state.byEvent)
      .handleRaw("stateByMarket", state.byMarket)
      .handleRaw("pricesBySlug", prices.bySlug)
      .handleRaw("pricesByEvent", prices.byEvent)
      .handleRaw("pricesByMarket", prices.byMarket)
      .handleRaw("contextBySlug", ({ params, query }) => context(slugKey(params), query))
      .handleRaw("contextByEvent", ({ params, query }) => context(eventKey(params), query))
      .handleRaw("contextByMarket", ({ params, query }) => context(marketKey(params), query))
      .handleRaw("historyBySlug", history.bySlug)
      .handleRaw("historyByEvent", history.byEvent)
      .handleRaw("historyByMarket", history.byMarket)
  }),
)
