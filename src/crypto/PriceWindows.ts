import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { exactPrice } from "#src/domain/amounts.ts"
import { intervalFacts } from "./intervals.ts"
import { type Dated, PricesLate, type UnknownWindow, WrongWindow } from "./model.ts"
import { priceStore } from "./PriceStore.ts"
import { priceAt } from "./priceAt.ts"
import { type WindowQuery, boundsOf, noMarket, noTicks } from "./priceWindow.ts"
import type { PriceWindow } from "./shapes.ts"

/** So long before a window's start a price still counts as the one at its start, when nothing was heard since. */
const reachMillis = 300_000

/** The last tick before the start may come this late; until then the opening price can move. */
const openingMillis = 5_000
const openingRest = 1_000

/** The prices by which the market of a window is decided. */
export class PriceWindows extends Context.Service<
  PriceWindows,
  {
    readonly window: (
      asked: WindowQuery,
    ) => Effect.Effect<Dated<PriceWindow>, WrongWindow | UnknownWindow | PricesLate | SqlError>
  }
>()("presage/crypto/PriceWindows") {
  static readonly layer = Layer.effect(
    PriceWindows,
    Effect.gen(function* () {
      const store = yield* priceStore

      return PriceWindows.of({
        window: Effect.fn("PriceWindows.window")(function* (asked: WindowQuery) {
          const now = yield* Clock.currentTimeMillis
          const bounds = boundsOf(asked, now)
          if (bounds instanceof WrongWindow) return yield* bounds
          const market = yield* store.market(asked.coin, asked.interval, bounds)
          if (market === undefined) return yield* noMarket(asked)
          const { priceToBeat, finalPrice, resolvedAt } = market
          const meanOf = market.meanOf ?? intervalFacts[asked.interval].meanOf

          const at = (second: number) => {
            const to = (second + 1) * 1000
            return Effect.map(store.readings(asked.coin, to - meanOf * 1000, to), (readings) => priceAt(readings, to))
          }
          const oldest = bounds.start * 1000 - reachMillis
          const closing = yield* at(Math.min(Math.floor(now / 1000), bounds.end))
          if (closing === undefined) return yield* noTicks(asked)
          const opening = priceToBeat === null ? yield* at(bounds.start) : undefined
          const open = priceToBeat ?? (opening !== undefined && opening.at >= oldest ? opening.price : undefined)
          const close = finalPrice ?? (closing.at >= oldest ? closing.price : undefined)
          if (open === undefined || close === undefined) {
            return yield* now < bounds.end * 1000 ? new PricesLate({ since: closing.at }) : noTicks(asked)
          }

          const value = { openPrice: exactPrice(open), closePrice: exactPrice(close) }
          if (resolvedAt !== null) {
            // A result does not age.
            return { value: { ...value, timestamp: resolvedAt, completed: true, incomplete: false }, dataAt: now }
          }
          const running = { ...value, timestamp: closing.at, completed: false, incomplete: true }
          const isOpening = now < bounds.start * 1000 + openingMillis
          const until = isOpening ? now + openingRest : bounds.end * 1000
          return { value: running, dataAt: Math.min(now, closing.at), ...(now < until && { until }) }
        }),
      })
    }),
  )
}
