import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { generateQueries, type QuerySet } from "#src/sports/contextQueries.ts"
import type { EventKey } from "#src/sports/EventStore.ts"
import { History } from "#src/sports/History.ts"
import type { HistoryInterval, HistoryRequest } from "#src/sports/historyWindow.ts"
import { Leagues } from "#src/sports/Leagues.ts"
import { Listings } from "#src/sports/Listings.ts"
import { Prices } from "#src/sports/Prices.ts"
import { marketsOf } from "#src/sports/score.ts"
import { Api } from "../../Api.ts"
import { CachedAnswers } from "../../caching/CachedAnswers.ts"
import type { ContextInput } from "../../context/parameters.ts"
import { contextResponder } from "../../context/respond.ts"
import { allowTime } from "../../server/deadline.ts"
import { BadInput } from "../../server/errors.ts"
import { gatewayAddress } from "../../server/gatewayAddress.ts"
import { limits } from "../parameters.ts"
import * as shapes from "../shapes.ts"
import { refusal } from "../translate.ts"
import { shownDetail, shownHistory, shownPrices, shownState } from "./translate.ts"

interface HistoryInput {
  readonly interval?: HistoryInterval
  readonly start_ts?: number
  readonly end_ts?: number
  readonly fidelity?: number
}

interface StateInput extends HistoryInput {
  readonly price_limit_tokens?: number
  readonly include_history?: "true" | "false"
  readonly history_limit_tokens?: number
}

const readHistory = ({ interval, start_ts: startTs, end_ts: endTs, fidelity }: HistoryInput) => {
  const refused = (error: string, param: string, hint: string) => Effect.fail(new BadInput({ error, param, hint }))
  if (interval !== undefined && startTs !== undefined)
    return refused("`interval` and `start_ts` are two beginnings.", "interval", "Use one of them.")
  if (startTs !== undefined && endTs !== undefined && startTs >= endTs)
    return refused("`start_ts` must be less than `end_ts`.", "start_ts", "Exchange the two, or omit one.")
  return Effect.succeed<HistoryRequest>({ interval, startTs, endTs, fidelity })
}

const json = (body: object, ageMillis: number) =>
  HttpServerResponse.jsonUnsafe(body, { headers: { "x-data-age-ms": String(ageMillis) } })

const slugKey = ({ slug }: { readonly slug: string }): EventKey => ({ by: "slug", value: slug })
const eventKey = ({ event_id }: { readonly event_id: number }): EventKey => ({ by: "event", value: event_id })
const marketKey = ({ market_id }: { readonly market_id: number }): EventKey => ({ by: "market", value: market_id })

const historyFresh = 5_000
const historyStale = 60_000

export const GamesHandlers = HttpApiBuilder.group(
  Api,
  "sportsGames",
  Effect.fnUntraced(function* (handlers) {
    const listings = yield* Listings
    const leagues = yield* Leagues
    const prices = yield* Prices
    const histories = yield* History
    const answers = yield* CachedAnswers
    const gateway = yield* gatewayAddress
    const respond = yield* contextResponder
    const find = (key: EventKey) => Effect.catch(listings.game(key), refusal)

    const detail = Effect.fnUntraced(function* (key: EventKey) {
      const found = yield* find(key)
      const { homeTeam = null, awayTeam = null } = found.value.event.game ?? {}
      // The game is worth more than its teams.
      const teams = yield* Effect.orElseSucceed(
        leagues.teamsById([homeTeam, awayTeam].flatMap((id) => id ?? [])),
        () => [],
      )
      const now = yield* Clock.currentTimeMillis
      const body = shownDetail(found, teams, String(yield* gateway), now)
      return json(body, body.age_ms)
    })

    const stateOf = Effect.fnUntraced(function* (key: EventKey, input: StateInput) {
      const request = yield* readHistory(input)
      const found = yield* find(key)
      const knownAt = yield* listings.knownAt
      const limit = input.price_limit_tokens ?? limits.stateTokens.default
      const quoted = yield* prices.of(marketsOf(found.value), limit, knownAt)
      const history =
        input.include_history === "true"
          ? yield* Effect.catch(
              histories.of(found.value, input.history_limit_tokens ?? limits.historyTokens.default, request),
              refusal,
            )
          : undefined
      return shownState(found, quoted, history, String(yield* gateway), yield* Clock.currentTimeMillis)
    })

    const state = Effect.fnUntraced(function* (key: EventKey, input: StateInput) {
      // The venue may be asked for the game, its prices and its history, one after the other.
      allowTime(yield* HttpServerRequest, "10 seconds")
      const body = yield* stateOf(key, input)
      return json(body, body.age_ms.metadata)
    })

    const priced = Effect.fnUntraced(function* (key: EventKey, limit: number = limits.priceTokens.default) {
      const found = yield* find(key)
      const quoted = yield* prices.of(marketsOf(found.value), limit, yield* listings.knownAt)
      const body = shownPrices(found, quoted, String(yield* gateway), yield* Clock.currentTimeMillis)
      return json(body, body.age_ms)
    })

    const context = (
      key: EventKey,
      { query_set: querySet = "default", ...input }: ContextInput & { readonly query_set?: QuerySet },
    ) =>
      respond(
        input,
        Effect.fnUntraced(function* (maxQueries) {
          const { value, at } = yield* find(key)
          const age = Math.max(0, (yield* Clock.currentTimeMillis) - at)
          const { slug, title } = value.event
          const queries = generateQueries({ ...value.event, markets: marketsOf(value) }, querySet, maxQueries)
          return { slug, title, querySet, queries, headers: { "x-data-age-ms": String(age) } }
        }),
        (_, tokens) => stateOf(key, { price_limit_tokens: tokens }),
      )

    const history = (key: EventKey, { limit_tokens, ...input }: HistoryInput & { readonly limit_tokens?: number }) =>
      Effect.gen(function* () {
        const request = yield* readHistory(input)
        const found = yield* find(key)
        const limit = limit_tokens ?? limits.historyTokens.default
        const value = shownHistory(found, yield* Effect.catch(histories.of(found.value, limit, request), refusal))
        return { value, dataAt: found.at }
      })
    const cachedHistory = {
      schema: shapes.GameHistory,
      freshFor: historyFresh,
      staleFor: historyStale,
    }

    return handlers
      .handleRaw("bySlug", ({ params }) => detail(slugKey(params)))
      .handleRaw("byEvent", ({ params }) => detail(eventKey(params)))
      .handleRaw("byMarket", ({ params }) => detail(marketKey(params)))
      .handleRaw("stateBySlug", ({ params, query }) => state(slugKey(params), query))
      .handleRaw("stateByEvent", ({ params, query }) => state(eventKey(params), query))
      .handleRaw("stateByMarket", ({ params, query }) => state(marketKey(params), query))
      .handleRaw("pricesBySlug", ({ params, query }) => priced(slugKey(params), query.limit_tokens))
      .handleRaw("pricesByEvent", ({ params, query }) => priced(eventKey(params), query.limit_tokens))
      .handleRaw("pricesByMarket", ({ params, query }) => priced(marketKey(params), query.limit_tokens))
      .handleRaw("contextBySlug", ({ params, query }) => context(slugKey(params), query))
      .handleRaw("contextByEvent", ({ params, query }) => context(eventKey(params), query))
      .handleRaw("contextByMarket", ({ params, query }) => context(marketKey(params), query))
      .handleRaw(
        "historyBySlug",
        answers.handler({
          ...cachedHistory,
          name: "sports-history",
          key: ({ params, query }) => JSON.stringify([params, query]),
          load: ({ params, query }) => history(slugKey(params), query),
        }),
      )
      .handleRaw(
        "historyByEvent",
        answers.handler({
          ...cachedHistory,
          name: "sports-history-event",
          key: ({ params, query }) => JSON.stringify([params, query]),
          load: ({ params, query }) => history(eventKey(params), query),
        }),
      )
      .handleRaw(
        "historyByMarket",
        answers.handler({
          ...cachedHistory,
          name: "sports-history-market",
          key: ({ params, query }) => JSON.stringify([params, query]),
          load: ({ params, query }) => history(marketKey(params), query),
        }),
      )
  }),
)
