import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Coin } from "#src/domain/Tick.ts"
import { candleSeconds, candlesOf, candleTimes, timesWithout } from "./candlesOf.ts"
import type { Dated } from "./model.ts"
import { priceStore } from "./PriceStore.ts"
import { priceAt } from "./priceAt.ts"
import type { CandlesAnswer } from "./shapes.ts"

/** Five-minute candles of a coin over the last two and a half hours. */
export class Candles extends Context.Service<
  Candles,
  { readonly recent: (coin: Coin) => Effect.Effect<Dated<CandlesAnswer>, SqlError> }
>()("presage/crypto/Candles") {
  static readonly layer = Layer.effect(
    Candles,
    Effect.gen(function* () {
      const store = yield* priceStore

      return Candles.of({
        recent: Effect.fn("Candles.recent")(function* (coin: Coin) {
          const now = yield* Clock.currentTimeMillis
          const times = candleTimes(Math.floor(now / 1000))
          const spansOf = (source: "oracle_data_streams" | "platform_oracle", starts: ReadonlyArray<number>) =>
            starts.length === 0
              ? Effect.succeed([])
              : store.spans(source, coin, Math.min(...starts), Math.max(...starts) + candleSeconds)
          const streams = yield* spansOf("oracle_data_streams", times)
          const uncovered = timesWithout(times, streams)
          const platform = yield* spansOf("platform_oracle", uncovered)
          const first = (times[0] ?? 0) * 1000
          const needsBefore = timesWithout(times.slice(0, 1), [...streams, ...platform]).length > 0
          const before = needsBefore ? priceAt(yield* store.readings(coin, first, first), first) : undefined
          const newest = Math.max(0, before?.at ?? 0, ...[...streams, ...platform].map(({ lastAt }) => lastAt))
          return {
            value: { candles: candlesOf(times, [streams, platform], before?.price) },
            dataAt: newest === 0 ? now : Math.min(now, newest),
            until: ((times.at(-1) ?? 0) + candleSeconds) * 1000,
          }
        }),
      })
    }),
  )
}
