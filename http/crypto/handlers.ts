import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { ActiveMarkets } from "#src/crypto/ActiveMarkets.ts"
import { Candles } from "#src/crypto/Candles.ts"
import { MarketList } from "#src/crypto/MarketList.ts"
import { PriceWindows } from "#src/crypto/PriceWindows.ts"
import { SeriesList } from "#src/crypto/SeriesList.ts"
import { ActiveAnswer, CandlesAnswer, MarketsAnswer, PriceAnswer, SeriesAnswer } from "#src/crypto/shapes.ts"
import { Api } from "../Api.ts"
import { CachedAnswers } from "../caching/CachedAnswers.ts"
import { BadInput, NotFound, Unavailable, unavailable } from "../server/errors.ts"

const second = 1000
const storeFailed = unavailable("crypto")
const orUnavailable = <A>(load: Effect.Effect<A, unknown>) => Effect.catch(load, storeFailed)

const priceFailure = (
  failure: Effect.Error<ReturnType<PriceWindows["Service"]["window"]>>,
): Effect.Effect<never, BadInput | NotFound | Unavailable> => {
  if (failure._tag === "WrongWindow") {
    const { param, error, hint } = failure
    return Effect.fail(new BadInput({ error, param, hint }))
  }
  if (failure._tag === "PricesLate") {
    const hint = "GET /v1/status shows the state of its source. Try again in a few seconds."
    return Effect.fail(new Unavailable({ error: failure.message, hint }))
  }
  if (failure._tag !== "UnknownWindow") return storeFailed(failure)
  return Effect.fail(new NotFound({ error: failure.error, hint: failure.hint }))
}

export const CryptoHandlers = HttpApiBuilder.group(
  Api,
  "crypto",
  Effect.fnUntraced(function* (handlers) {
    const answers = yield* CachedAnswers
    const candles = yield* Candles
    const windows = yield* PriceWindows
    const active = yield* ActiveMarkets
    const markets = yield* MarketList
    const series = yield* SeriesList

    return handlers
      .handleRaw(
        "markets",
        answers.handler({
          name: "crypto-markets",
          schema: MarketsAnswer,
          freshFor: 180 * second,
          staleFor: 600 * second,
          load: () => orUnavailable(markets.open),
        }),
      )
      .handleRaw(
        "candles",
        answers.handler({
          name: "crypto-candles",
          schema: CandlesAnswer,
          key: ({ query }) => query.symbol,
          freshFor: 5 * second,
          staleFor: 60 * second,
          load: ({ query }) => orUnavailable(candles.recent(query.symbol)),
        }),
      )
      .handleRaw(
        "price",
        answers.handler({
          name: "crypto-price",
          schema: PriceAnswer,
          key: ({ query }) => `${query.symbol}:${query.interval ?? "5m"}:${query.window}`,
          freshFor: 10 * second,
          staleFor: 60 * second,
          load: ({ query: { symbol: coin, window, interval = "5m" } }) =>
            windows.window({ coin, window, interval }).pipe(
              Effect.map(({ value, ...dated }) => ({
                value: { ...value, cached: false },
                whenCached: { ...value, cached: true },
                ...dated,
              })),
              Effect.catch(priceFailure),
            ),
        }),
      )
      .handleRaw(
        "active",
        answers.handler({
          name: "crypto-active",
          schema: ActiveAnswer,
          freshFor: 30 * second,
          staleFor: 60 * second,
          load: () => orUnavailable(active.current),
        }),
      )
      .handleRaw(
        "series",
        answers.handler({
          name: "crypto-series",
          schema: SeriesAnswer,
          freshFor: 300 * second,
          staleFor: 900 * second,
          load: () => orUnavailable(series.all),
        }),
      )
  }),
)
