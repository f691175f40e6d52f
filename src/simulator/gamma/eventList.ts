import type { Event } from "../world/Venue.ts"
import {
  commentCountOf,
  eventCompetitive,
  eventUpdatedAt,
  eventWeekOf,
  isFeatured,
  openInterestOf,
  parentOf,
} from "./event.ts"
import {
  allOf,
  between,
  flagged,
  lookupCandidates,
  oneOf,
  type Predicate,
  tagged,
  timeBetween,
  untagged,
} from "./filter.ts"
import { easternDateOf } from "./format.ts"
import type { GammaView } from "./GammaView.ts"
import { isEnded, isLive } from "./game.ts"
import type { SortFields } from "./pagination.ts"
import type { Query } from "./Query.ts"
import type { SpanName } from "./TradeSums.ts"

const volumeOf = (view: GammaView) => (event: Event) => view.sum(event, (market) => view.volume(market))
const recentOf = (view: GammaView, span: SpanName) => (event: Event) =>
  view.sum(event, (market) => view.recentVolume(market, span))
const liquidityOf = (view: GammaView) => (event: Event) => view.sum(event, (market) => view.liquidity(market))

export const eventFields = (view: GammaView): SortFields<Event> => ({
  id: ({ index }) => index,
  slug: ({ plan }) => plan.slug,
  ticker: ({ plan }) => plan.slug,
  title: ({ plan }) => plan.title,
  volume: volumeOf(view),
  volume24hr: recentOf(view, "day"),
  volume1wk: recentOf(view, "week"),
  volume1mo: recentOf(view, "month"),
  volume1yr: recentOf(view, "year"),
  liquidity: liquidityOf(view),
  liquidityClob: liquidityOf(view),
  openInterest: (event) => openInterestOf(view, event),
  competitive: (event) => eventCompetitive(view, event),
  commentCount: commentCountOf,
  startDate: ({ plan }) => plan.createdAt,
  creationDate: ({ plan }) => plan.createdAt,
  createdAt: ({ plan }) => plan.createdAt,
  updatedAt: (event) => eventUpdatedAt(view, event),
  startTime: ({ plan }) => plan.startsAt,
  endDate: ({ plan }) => plan.endsAt,
  closedTime: (event) => (view.isEventClosed(event) ? view.listing.eventClosesAt(event.index) : undefined),
})

const stateTests = (view: GammaView, query: Query): ReadonlyArray<Predicate<Event> | undefined> => [
  flagged(query, "closed", (event) => view.isEventClosed(event)),
  flagged(query, "active", () => true),
  flagged(query, "archived", () => false),
  flagged(query, "cyom", () => false),
  flagged(query, "featured", isFeatured),
  flagged(query, "live", ({ plan }) => plan.game !== undefined && isLive(plan.game, view.now)),
  flagged(query, "ended", ({ plan }) => plan.game !== undefined && isEnded(plan.game, view.now)),
]

const titled = (query: Query): Predicate<Event> | undefined => {
  const text = query.text("title_search")?.toLowerCase()
  return text === undefined ? undefined : ({ plan }) => plan.title.toLowerCase().includes(text)
}

const kindTests = (view: GammaView, query: Query): ReadonlyArray<Predicate<Event> | undefined> => [
  oneOf(query.integers("id").map(String), ({ id }) => id),
  oneOf(query.texts("slug"), ({ plan }) => plan.slug),
  tagged(query, ({ plan }) => plan.tags),
  untagged(query, ({ plan }) => plan.tags),
  oneOf<Event, string | undefined>(query.integers("series_id").map(String), ({ plan }) => plan.series?.id),
  oneOf<Event, string | undefined>(query.texts("series_slug"), ({ plan }) => plan.series?.slug),
  oneOf<Event, number | undefined>(query.integers("game_id"), ({ plan }) => plan.game?.id),
  oneOf<Event, string | undefined>(query.texts("recurrence"), ({ plan }) => plan.recurrence),
  oneOf<Event, string | undefined>(
    query.texts("event_date"),
    ({ plan }) => plan.game && easternDateOf(plan.game.startsAt),
  ),
  oneOf<Event, number | undefined>(query.integers("event_week"), eventWeekOf),
  oneOf<Event, string | undefined>(query.integers("parent_event_id").map(String), (event) => parentOf(view, event)?.id),
  titled(query),
]

const boundTests = (view: GammaView, query: Query): ReadonlyArray<Predicate<Event> | undefined> => [
  timeBetween(query, "start_date", ({ plan }) => plan.createdAt),
  timeBetween(query, "end_date", ({ plan }) => plan.endsAt),
  timeBetween(query, "start_time", ({ plan }) => (plan.startsAt > plan.createdAt ? plan.startsAt : undefined)),
  between(query, "liquidity", liquidityOf(view)),
  between(query, "volume", volumeOf(view)),
]

const candidates = (view: GammaView, query: Query): ReadonlyArray<Event> => {
  const { listing } = view
  return (
    lookupCandidates<Event>([
      [query.texts("id"), (id) => [listing.eventById(id)]],
      [query.texts("slug"), (slug) => [listing.eventBySlug(slug)]],
      [query.texts("game_id"), (game) => listing.eventsAt(listing.ofGame(Number(game)))],
      [query.texts("series_id"), (series) => listing.eventsAt(listing.ofSeries(series))],
      // With tag slugs as well, an event may match by either.
      [query.texts("tag_slug").length > 0 ? [] : query.texts("tag_id"), (tag) => listing.eventsAt(listing.ofTag(tag))],
    ]) ?? listing.allEvents()
  )
}

/** The events that match a query, in order of id. */
export const selectEvents = (view: GammaView, query: Query): ReadonlyArray<Event> => {
  const matches = allOf([...stateTests(view, query), ...kindTests(view, query), ...boundTests(view, query)])
  return candidates(view, query).filter(matches)
}
