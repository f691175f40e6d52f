import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { shownRecurrence } from "./intervals.ts"
import { listingStore, type SeriesRow } from "./ListingStore.ts"
import type { Dated } from "./model.ts"
import type { SeriesAnswer, SeriesEntry } from "./shapes.ts"

/** From short to long; what is not in here comes last. */
const lengths = ["5m", "15m", "1h", "4h", "daily", "weekly", "monthly"]
const placeOf = ({ recurrence }: SeriesEntry) =>
  lengths.includes(recurrence) ? lengths.indexOf(recurrence) : lengths.length

const entryOf = ({ id, slug, title, recurrence, active, events }: SeriesRow): SeriesEntry => ({
  id: String(id),
  slug,
  title,
  recurrence: shownRecurrence(recurrence),
  active,
  eventCount: events === 0 ? null : events,
})

/** The series about crypto. */
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
          const doneAt = yield* store.doneAt("references")
          const series = (yield* store.series)
            .map(entryOf)
            .sort((a, b) => placeOf(a) - placeOf(b) || a.slug.localeCompare(b.slug, "en"))
          return { value: { series, count: series.length }, dataAt: Math.min(now, doneAt ?? now) }
        }).pipe(Effect.withSpan("SeriesList.all")),
      })
    }),
  )
}
