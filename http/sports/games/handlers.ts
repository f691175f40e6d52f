import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { EventKey } from "#src/sports/EventStore.ts"
import { Leagues } from "#src/sports/Leagues.ts"
import { Api } from "../../Api.ts"
import { contextHandler } from "./context/handler.ts"
import { dated, edgeNow, eventKey, findGame, marketKey, slugKey } from "./find.ts"
import { historyHandlers } from "./history/handler.ts"
import { pricesHandler } from "./prices/handler.ts"
import { stateHandler } from "./state/handler.ts"
import { shownDetail } from "./translate.ts"

export const GamesHandlers = HttpApiBuilder.group(
  Api,
  "sportsGames",
  Effect.fnUntraced(function* (handlers) {
    const leagues = yield* Leagues
    const find = yield* findGame
    const edge = yield* edgeNow
    const state = yield* stateHandler
    const prices = yield* pricesHandler
    const context = yield* contextHandler
    const history = yield* historyHandlers

    const detail = Effect.fnUntraced(function* (key: EventKey) {
      const found = yield* find(key)
      const { homeTeam = null, awayTeam = null } = found.value.event.game ?? {}
      // The game is worth more than its teams.
      const teams = yield* Effect.orElseSucceed(
        leagues.teamsById([homeTeam, awayTeam].flatMap((id) => id ?? [])),
        () => [],
      )
      const { ws, now } = yield* edge
      const body = shownDetail(found, teams, ws, now)
      return dated(body, body.age_ms)
    })

    return handlers
      .handleRaw("bySlug", ({ params }) => detail(slugKey(params)))
      .handleRaw("byEvent", ({ params }) => detail(eventKey(params)))
      .handleRaw("byMarket", ({ params }) => detail(marketKey(params)))
      .handleRaw("stateBySlug", ({ params, query }) => state(slugKey(params), query))
      .handleRaw("stateByEvent", ({ params, query }) => state(eventKey(params), query))
      .handleRaw("stateByMarket", ({ params, query }) => state(marketKey(params), query))
      .handleRaw("pricesBySlug", ({ params, query }) => prices(slugKey(params), query.limit_tokens))
      .handleRaw("pricesByEvent", ({ params, query }) => prices(eventKey(params), query.limit_tokens))
      .handleRaw("pricesByMarket", ({ params, query }) => prices(marketKey(params), query.limit_tokens))
      .handleRaw("contextBySlug", ({ params, query }) => context(slugKey(params), query))
      .handleRaw("contextByEvent", ({ params, query }) => context(eventKey(params), query))
      .handleRaw("contextByMarket", ({ params, query }) => context(marketKey(params), query))
      .handleRaw("historyBySlug", history("sports-history", slugKey))
      .handleRaw("historyByEvent", history("sports-history-event", eventKey))
      .handleRaw("historyByMarket", history("sports-history-market", marketKey))
  }),
)
