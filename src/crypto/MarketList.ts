import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { exactAmount } from "#src/domain/amounts.ts"
import { conditionOfHex } from "#src/domain/ConditionId.ts"
import { isoOf } from "#src/domain/time.ts"
import { type EventWithMarkets, listingStore } from "./ListingStore.ts"
import type { Dated } from "./model.ts"
import type { ListedEvent, MarketsAnswer } from "./shapes.ts"

const listed = (event: EventWithMarkets): ListedEvent => ({
  id: String(event.id),
  slug: event.slug,
  title: event.title,
  startDate: isoOf(event.starts_at),
  endDate: isoOf(event.ends_at),
  active: event.active,
  volume: exactAmount(event.volume),
  volume24hr: exactAmount(event.volume_day),
  liquidity: exactAmount(event.liquidity),
  openInterest: exactAmount(event.open_interest),
  seriesSlug: event.series_slug ?? "",
  markets: event.markets.map((market) => ({
    id: String(market.id),
    question: market.question,
    conditionId: conditionOfHex(market.condition),
    outcomes: market.outcomes,
    outcomePrices: market.prices.map(exactAmount),
    volume: exactAmount(market.volume),
    liquidity: exactAmount(market.liquidity),
    active: market.active,
    closed: market.closed,
    groupItemTitle: market.group_title ?? "",
  })),
})

/** Open crypto events. */
export class MarketList extends Context.Service<
  MarketList,
  { readonly open: Effect.Effect<Dated<MarketsAnswer>, SqlError> }
>()("presage/crypto/MarketList") {
  static readonly layer = Layer.effect(
    MarketList,
    Effect.gen(function* () {
      const store = yield* listingStore
      return MarketList.of({
        open: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const completedAt = yield* store.completedAt("sweep")
          const events = yield* store.open(now)
          return { value: { events: events.map(listed) }, dataAt: Math.min(now, completedAt ?? now) }
        }).pipe(Effect.withSpan("MarketList.open")),
      })
    }),
  )
}
