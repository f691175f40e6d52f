import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { MarketStats } from "#src/market-stats/MarketStats.ts"
import { Api } from "../Api.ts"
import { statsLists } from "./lists.ts"
import * as shapes from "./shapes.ts"
import * as translate from "./translate.ts"

export const MarketStatsHandlers = HttpApiBuilder.group(
  Api,
  "marketStats",
  Effect.fnUntraced(function* (handlers) {
    const stats = yield* MarketStats
    const handler = yield* statsLists

    return handlers
      .handleRaw(
        "markets",
        handler({
          name: "markets",
          columns: Object.keys(shapes.ListedMarket.fields),
          read: stats.markets,
          show: translate.shownListedMarket,
        }),
      )
      .handleRaw(
        "marketStats",
        handler({
          name: "market-stats",
          columns: Object.keys(shapes.MarketStats.fields),
          read: stats.markets,
          show: translate.shownMarketStats,
        }),
      )
      .handleRaw(
        "events",
        handler({
          name: "events",
          columns: Object.keys(shapes.ListedEvent.fields),
          read: stats.events,
          show: translate.shownListedEvent,
        }),
      )
      .handleRaw(
        "eventStats",
        handler({
          name: "event-stats",
          columns: Object.keys(shapes.EventStats.fields),
          read: stats.events,
          show: translate.shownEventStats,
        }),
      )
  }),
)
