import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { shownRecurrence } from "./intervals.ts"
import { listingStore, type SeriesRow } from "./ListingStore.ts"
import type { Dated } from "./model.ts"
import type { SeriesAnswer, SeriesEntry } from "./shapes.ts"

/** Sort order; other recurrences come last. */
const recurrenceOrder = ["5m", "15m", "1h", "4h", "daily", "weekly", "monthly"]
const rank = ({ recurrence }: SeriesEntry) =>
  recurrenceOrder.includes(recurrence) ? recurrenceOrder.indexOf(recurrence) : recurrenceOrder.length

const entryOf = ({ id, slug, title, recurrence, active, events }: SeriesRow): SeriesEntry => ({
  id: String(id),
  slug,
  title,
  recurrence: shownRecurrence(recurrence),
  active,
  eventCount: events === 0 ? null : events,
})

/** Crypto series. */
export class SeriesList extends Context.Service<
  SeriesList,
  { readonly all: Effect.Effect<Dated<SeriesAnswer>, SqlError> }
>()("presage/crypto/SeriesList") {
  static readonly layer = Layer.effect(
    SeriesList,
    Effect.gen(function* () {
      const store = yield* listingStore
      return SeriesList.of({
        all: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const completedAt = yield* store.completedAt("references")
          const series = (yield* store.series)
            .map(entryOf)
            .sort((a, b) => rank(a) - rank(b) || a.slug.localeCompare(b.slug, "en"))
          return { value: { series, count: series.length }, dataAt: Math.min(now, completedAt ?? now) }
        }).pipe(Effect.withSpan("SeriesList.all")),
      })
    }),
  )
}
