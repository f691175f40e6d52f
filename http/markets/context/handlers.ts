import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { TokenId } from "#src/domain/TokenId.ts"
import { generateMarketQueries } from "#src/markets/contextQueries.ts"
import { Markets } from "#src/markets/Markets.ts"
import type { ShownMarket } from "#src/markets/ShownMarket.ts"
import { Api } from "../../Api.ts"
import { contextResponder } from "../../context/respond.ts"
import { ageHeaders } from "../../v3/answer.ts"
import { refusal, shownMarket, shownPrice } from "../translate.ts"

export const MarketContextHandlers = HttpApiBuilder.group(
  Api,
  "marketContext",
  Effect.fnUntraced(function* (handlers) {
    const markets = yield* Markets
    const respond = yield* contextResponder

    /** The market and the price of each of its tokens. */
    const stateOf = Effect.fnUntraced(function* (market: ShownMarket, maxTokens: number) {
      const tokens = market.tokens.slice(0, maxTokens)
      const priced = yield* Effect.forEach(
        tokens,
        (token) =>
          Effect.map(Effect.catch(markets.token(TokenId.make(token)), refusal), ({ found }) =>
            shownPrice(token, found),
          ),
        { concurrency: 4 },
      )
      return {
        ...shownMarket(market),
        prices: priced.map((price, index) => ({
          ...price,
          outcome: market.outcomes[index] ?? null,
          outcome_index: index,
        })),
        total_tokens: market.tokens.length,
        truncated: tokens.length < market.tokens.length,
      }
    })

    return handlers.handleRaw("context", ({ params: { slug }, query: { query_set: querySet = "default", ...input } }) =>
      respond(
        input,
        Effect.fnUntraced(function* (maxQueries) {
          const { found, asOf } = yield* Effect.catch(markets.bySlug(slug), refusal)
          const queries = generateMarketQueries(found, querySet, maxQueries)
          const headers = ageHeaders(asOf, yield* Clock.currentTimeMillis)
          return { slug, title: found.title ?? slug, querySet, queries, headers, market: found }
        }),
        ({ market }, tokens) => stateOf(market, tokens),
      ),
    )
  }),
)
