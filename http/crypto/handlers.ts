import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { ActiveMarkets } from "#src/crypto/ActiveMarkets.ts"
import { Candles } from "#src/crypto/Candles.ts"
import { MarketList } from "#src/crypto/MarketList.ts"
import { SeriesList } from "#src/crypto/SeriesList.ts"
import { ActiveAnswer, CandlesAnswer, MarketsAnswer, SeriesAnswer } from "#src/crypto/shapes.ts"
import { Api } from "../Api.ts"
import { CachedAnswers } from "../caching/CachedAnswers.ts"
import { unavailable } from "../server/errors.ts"
import { priceHandler } from "./price/handler.ts"

const second = 1000
const storeFailed = unavailable("crypto")
const orUnavailable = <A>(load: Effect.Effect<A, unknown>) => Effect.catch(load, storeFailed)

export const CryptoHandlers = HttpApiBuilder.group(
  Api,
  "crypto",
  Effect.fnUntraced(function* (handlers) {
    const answers = yield* CachedAnswers
    const candles = yield* Candles
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
      .handleRaw("price", yield* priceHandler)
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
