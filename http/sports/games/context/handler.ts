import { Clock, Effect } from "effect"
import { generateQueries, type QuerySet } from "#src/sports/contextQueries.ts"
import type { EventKey } from "#src/sports/EventStore.ts"
import { marketsOf } from "#src/sports/score.ts"
import type { ContextInput } from "../../../context/parameters.ts"
import { contextResponder } from "../../../context/respond.ts"
import { gatewayAddress } from "../../../server/gatewayAddress.ts"
import { findGame } from "../find.ts"
import { gameState } from "../state/handler.ts"

/** What the web and X say about a game. */
export const contextHandler = Effect.gen(function* () {
  const respond = yield* contextResponder
  const find = yield* findGame
  const stateOf = yield* gameState
  const gateway = yield* gatewayAddress
  return (
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
      (_, tokens) =>
        Effect.flatMap(gateway, (ws) => stateOf(key, { price_limit_tokens: tokens }, String(ws))).pipe(
          Effect.map(({ value }) => value),
        ),
    )
})
