import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { exactPrice, type FinePrice } from "#src/domain/amounts.ts"
import { intervalFacts } from "./intervals.ts"
import { type Dated, PricesLate, type UnknownWindow, WrongWindow } from "./model.ts"
import { priceStore } from "./PriceStore.ts"
import { type PriceAtMoment, priceAt } from "./priceAt.ts"
import { boundsOf, noMarket, noTicks, type WindowQuery } from "./priceWindow.ts"
import type { PriceWindow } from "./shapes.ts"

/** A price up to this long before the window's start counts as the price at its start. */
const maxOpenAgeMillis = 300_000

/** The last tick before the start may arrive this late; until then the opening price can change. */
const openingGraceMillis = 5_000
const openingTtlMillis = 1_000

const platformAverageSeconds = 60
/** A running window shows an average that is at most so old; about one second in thirty has none. */
const maxAverageAgeSeconds = 5

/** Prices that decide the market of a window. */
export class PriceWindows extends Context.Service<
  PriceWindows,
  {
    readonly window: (
      query: WindowQuery,
    ) => Effect.Effect<Dated<PriceWindow>, WrongWindow | UnknownWindow | PricesLate | SqlError>
  }
>()("presage/crypto/PriceWindows") {
  static readonly layer = Layer.effect(
    PriceWindows,
    Effect.gen(function* () {
      const store = yield* priceStore

      return PriceWindows.of({
        window: Effect.fn("PriceWindows.window")(function* (query: WindowQuery) {
          const now = yield* Clock.currentTimeMillis
          const bounds = boundsOf(query, now)
          if (bounds instanceof WrongWindow) return yield* bounds
          const market = yield* store.market(query.coin, query.interval, bounds)
          if (market === undefined) return yield* noMarket(query)
          const { priceToBeat, finalPrice, resolvedAt } = market
          const meanOf = market.meanOf ?? intervalFacts[query.interval].meanOf

          const spotAt = (second: number) => {
            const to = (second + 1) * 1000
            return Effect.map(store.readings(query.coin, to - meanOf * 1000, to), (readings) => priceAt(readings, to))
          }
          // The platform's average decides the market; ours over its prices is nearly the same. At the bounds of the
          // window only that of this very second counts.
          const at = Effect.fnUntraced(function* (second: number) {
            if (meanOf !== platformAverageSeconds) return yield* spotAt(second)
            const isBound = second === bounds.start || second === bounds.end
            const oldest = (isBound ? second : second - maxAverageAgeSeconds) * 1000
            return (yield* store.average(query.coin, oldest, second * 1000)) ?? (yield* spotAt(second))
          })
          // A price that the market publishes needs no tick: ticks of old windows may be gone.
          const published = (price: FinePrice, second: number): PriceAtMoment => ({ price, at: second * 1000 })
          const oldest = bounds.start * 1000 - maxOpenAgeMillis
          const closing =
            finalPrice === null
              ? yield* at(Math.min(Math.floor(now / 1000), bounds.end))
              : published(finalPrice, bounds.end)
          if (closing === undefined) return yield* noTicks(query)
          const opening = priceToBeat === null ? yield* at(bounds.start) : published(priceToBeat, bounds.start)
          if (opening === undefined || opening.at < oldest || closing.at < oldest) {
            return yield* now < bounds.end * 1000 ? new PricesLate({ since: closing.at }) : noTicks(query)
          }

          const value = {
            openPrice: exactPrice(opening.price),
            closePrice: exactPrice(closing.price),
            averageSeconds: meanOf,
          }
          if (resolvedAt !== null) {
            // A resolved window does not become stale.
            return { value: { ...value, timestamp: resolvedAt, completed: true, incomplete: false }, dataAt: now }
          }
          const running = { ...value, timestamp: closing.at, completed: false, incomplete: true }
          const isOpening = now < bounds.start * 1000 + openingGraceMillis
          const until = isOpening ? now + openingTtlMillis : bounds.end * 1000
          return { value: running, dataAt: Math.min(now, closing.at), ...(now < until && { until }) }
        }),
      })
    }),
  )
}
