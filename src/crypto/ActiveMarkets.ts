import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { exactAmount } from "#src/domain/amounts.ts"
import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import { conditionOfHex } from "#src/domain/ConditionId.ts"
import { coins } from "#src/domain/Tick.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { isoOf } from "#src/domain/time.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { fiveMinuteSlug } from "./coinNames.ts"
import { windowAt } from "./intervals.ts"
import { listingStore } from "./ListingStore.ts"
import type { Dated } from "./model.ts"
import type { ActiveAnswer, ActiveEntry } from "./shapes.ts"

interface Listing {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly active: boolean
  readonly closed: boolean
  readonly startsAt: number | null
  readonly endsAt: number | null
  readonly markets: ReadonlyArray<{
    readonly question: string
    readonly condition: string | null
    readonly outcomes: ReadonlyArray<string>
    readonly prices: ReadonlyArray<number>
    readonly token: string | null
    readonly active: boolean
    readonly closed: boolean
  }>
}

const toListing = (event: CatalogueEvent): Listing => ({
  ...event,
  startsAt: event.startsAt ?? event.createdAt,
  markets: event.markets.map((market) => ({ ...market, token: market.tokens[0] ?? null })),
})

const entryOf = (event: Listing): ActiveEntry => ({
  id: String(event.id),
  slug: event.slug,
  title: event.title,
  active: event.active,
  closed: event.closed,
  startDate: isoOf(event.startsAt),
  endDate: isoOf(event.endsAt),
  markets: event.markets.map(({ question, condition, outcomes, prices, token, active, closed }) => ({
    question,
    conditionId: conditionOfHex(condition),
    outcomes: JSON.stringify(outcomes),
    outcomePrices: prices.map(exactAmount),
    tokenId: tokenOfHex(token),
    active,
    closed,
  })),
})

/** Entry of a window that the venue has not listed yet: only its slug and times are known. */
const unlisted = (slug: string, start: number, end: number): ActiveEntry => ({
  id: "",
  slug,
  title: slug,
  active: false,
  closed: false,
  startDate: isoOf(start * 1000),
  endDate: isoOf(end * 1000),
  markets: [],
})

/** Timeout of the venue request, which covers only events missing in the catalogue. */
const venueTimeout = "2 seconds"
/** Cache time of an answer with an unlisted window. */
const unlistedTtlMillis = 2_000

/** The current five-minute market of every coin. */
export class ActiveMarkets extends Context.Service<
  ActiveMarkets,
  { readonly current: Effect.Effect<Dated<ActiveAnswer>, SqlError> }
>()("presage/crypto/ActiveMarkets") {
  static readonly layer = Layer.effect(
    ActiveMarkets,
    Effect.gen(function* () {
      const store = yield* listingStore
      const gamma = yield* Gamma

      const fromVenue = (slugs: ReadonlyArray<string>) =>
        slugs.length === 0
          ? Effect.succeed([])
          : gamma.events({ slugs }, { limit: slugs.length }).pipe(
              Effect.map(({ items }) => items.map(toListing)),
              Effect.timeout(venueTimeout),
              Effect.catch((error) =>
                Effect.as(Effect.logDebug(`failed to fetch the markets of the current window: ${error.message}`), []),
              ),
            )

      return ActiveMarkets.of({
        current: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const { start, end } = windowAt("5m", Math.floor(now / 1000))
          const slugs = coins.map((coin) => fiveMinuteSlug(coin, start))
          const stored = (yield* store.named(slugs)).map(
            (event): Listing => ({
              ...event,
              startsAt: event.starts_at?.getTime() ?? null,
              endsAt: event.ends_at?.getTime() ?? null,
            }),
          )
          const storedSlugs = new Set(stored.map(({ slug }) => slug))
          const fetched = yield* fromVenue(slugs.filter((slug) => !storedSlugs.has(slug)))
          const entries = new Map([...fetched, ...stored].map((event) => [event.slug, entryOf(event)]))
          const completedAt = yield* store.completedAt("up and down windows")
          return {
            value: {
              markets: slugs.map((slug) => entries.get(slug) ?? unlisted(slug, start, end)),
              count: slugs.length,
              windowStart: start,
            },
            dataAt: Math.min(now, completedAt ?? now),
            until: Math.min(
              end * 1000,
              entries.size < slugs.length ? now + unlistedTtlMillis : Number.POSITIVE_INFINITY,
            ),
          }
        }).pipe(Effect.withSpan("ActiveMarkets.current")),
      })
    }),
  )
}
