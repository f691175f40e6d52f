import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import type { NotCounted, StatsQuery } from "#src/market-stats/MarketStats.ts"
import { type FigureWindow, windows } from "#src/market-stats/model.ts"
import type { ListedEvent, ListedMarket, ShownFigures } from "#src/market-stats/PageStore.ts"
import type { FigurePlace } from "#src/market-stats/select.ts"
import { conflictingFilters } from "../input/conflictingFilters.ts"
import { explainUnknown } from "../input/unknownName.ts"
import { shownMarket, shownTime } from "../markets/translate.ts"
import { type BadInput, NotFound, Unavailable, unavailable } from "../server/errors.ts"
import { emptyRange } from "../v3/parameters.ts"
import type { GivenFilters } from "./parameters.ts"
import type * as shapes from "./shapes.ts"

const storeFailed = unavailable("market-stats")

export const refusal = (
  failure: NotCounted | UnknownName | ConflictingFilters | SqlError,
): Effect.Effect<never, BadInput | NotFound | Unavailable> => {
  switch (failure._tag) {
    case "UnknownName":
      return Effect.fail(new NotFound({ error: "Not found.", hint: explainUnknown(failure) }))
    case "ConflictingFilters":
      return Effect.fail(conflictingFilters(failure.parameters))
    case "NotCounted":
      return Effect.fail(
        new Unavailable({
          error: "What is traded of markets is not counted yet.",
          hint: "Counting begins once the ledger has its history; see GET /v1/status.",
        }),
      )
    default:
      return storeFailed(failure)
  }
}

/** The error for a range of ends that no second lies in. */
export const refusedRange = ({ end_after, end_before }: GivenFilters) =>
  emptyRange({ after: end_after, before: end_before }, ["end_after", "end_before"])

const micros = (dollars: number) => Math.ceil(dollars * 1e6)

export const filterOf = (given: GivenFilters): StatsQuery["filter"] => ({
  status: given.status,
  category: given.category,
  tag: given.tag,
  negRisk: given.neg_risk === undefined ? undefined : given.neg_risk === "true",
  endAfter: given.end_after,
  endBefore: given.end_before,
  least: {
    ...(given.min_volume !== undefined && { usd_all: micros(given.min_volume) }),
    ...(given.min_volume_24h !== undefined && { usd_24h: micros(given.min_volume_24h) }),
    ...(given.min_liquidity !== undefined && { liquidity: micros(given.min_liquidity) }),
  },
  condition: given.condition_id,
  slug: given.slug,
  event: given.event,
})

/** The integers of a cursor. */
export const positionOf = ({ key, scope }: FigurePlace): ReadonlyArray<number | bigint> =>
  key === undefined ? [scope] : [scope, BigInt(key)]

/** The place that a cursor names. */
export const placeIn = (position: ReadonlyArray<bigint> | undefined): FigurePlace | undefined => {
  const [scope, key] = position ?? []
  return scope === undefined ? undefined : { scope: Number(scope), key: key === undefined ? undefined : Number(key) }
}

const shownDollars = (amount: bigint | null) => (amount === null ? null : decimalAmount(amount))

const perWindow = <Name extends string, A>(name: Name, values: ReadonlyArray<A | null>) =>
  Object.fromEntries(windows.map((window, i) => [`${name}_${window}`, values[i] ?? null])) as {
    readonly [W in FigureWindow as `${Name}_${W}`]: A | null
  }

const figuresOf = ({ volumes, trades, traders }: ShownFigures) => ({
  ...perWindow("volume", volumes.map(shownDollars)),
  ...perWindow("trades", trades),
  ...perWindow("unique_traders", traders),
})

const priceOf = ({ price, priceChange }: ListedMarket) => ({
  price: price === null ? null : exactAmount(price),
  price_change_24h: priceChange === null ? null : exactAmount(priceChange),
})

export const shownListedMarket = (row: ListedMarket): typeof shapes.ListedMarket.Type => ({
  ...shownMarket(row.market),
  liquidity: shownDollars(row.liquidity),
  status: row.status,
  created_at: shownTime(row.market.createdAt),
  ...priceOf(row),
  ...figuresOf(row),
})

export const shownMarketStats = (row: ListedMarket): typeof shapes.MarketStats.Type => ({
  condition_id: row.market.condition,
  slug: row.market.slug,
  question: row.market.title,
  event_slug: row.market.eventSlug,
  status: row.status,
  liquidity: shownDollars(row.liquidity),
  ...priceOf(row),
  ...figuresOf(row),
})

const eventNames = ({ id, slug, title }: ListedEvent) => ({ event_id: String(id), slug, title })

export const shownListedEvent = (row: ListedEvent): typeof shapes.ListedEvent.Type => ({
  ...eventNames(row),
  category: row.category,
  image: row.image,
  tag_slugs: row.tags,
  status: row.status,
  active: row.active,
  closed: row.closed,
  neg_risk: row.negRisk,
  start_date: shownTime(row.startsAt),
  end_date: shownTime(row.endsAt),
  created_at: shownTime(row.createdAt),
  market_count: row.conditions.length,
  condition_ids: row.conditions,
  volume_all_time: shownDollars(row.volume),
  liquidity: shownDollars(row.liquidity),
  ...figuresOf(row),
})

export const shownEventStats = (row: ListedEvent): typeof shapes.EventStats.Type => ({
  ...eventNames(row),
  status: row.status,
  market_count: row.conditions.length,
  liquidity: shownDollars(row.liquidity),
  ...figuresOf(row),
})
