import type { Wallet } from "../world/model.ts"
import type { Event } from "../world/Venue.ts"
import { eventText } from "./event.ts"
import { eventFields } from "./eventList.ts"
import { allOf, oneOf, untagged } from "./filter.ts"
import { fieldsText, listText, objectText } from "./format.ts"
import type { GammaView } from "./GammaView.ts"
import { invalid, type Query } from "./Query.ts"
import { openEventsOf, profileJson } from "./reference.ts"

/** Sort names, mapped to the fields of the event list. */
const sorts = {
  volume: "volume",
  volume_24hr: "volume24hr",
  liquidity: "liquidity",
  competitive: "competitive",
  closed_time: "closedTime",
  start_date: "startDate",
  end_date: "endDate",
} as const
const sortNames = Object.keys(sorts) as ReadonlyArray<keyof typeof sorts>

const defaultPerType = 10
const maxPerType = 50

const matcher = (text: string) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return (title: string) => {
    const lower = title.toLowerCase()
    return words.every((word) => lower.includes(word))
  }
}

/** By default open events come first, then by volume. */
const searchEvents = (view: GammaView, query: Query, matches: (title: string) => boolean): ReadonlyArray<Event> => {
  const status = query.oneOf("events_status", ["active", "closed"])
  const isMatch = allOf<Event>([
    ({ plan }) => matches(plan.title),
    status && ((event) => view.isEventClosed(event) === (status === "closed")),
    untagged(query, ({ plan }) => plan.tags),
    oneOf<Event, string | undefined>(query.texts("recurrence"), ({ plan }) => plan.recurrence),
    tagTest(query),
  ])
  const sort = query.oneOf("sort", sortNames)
  const sign = query.flag("ascending") === true ? 1 : -1
  const keyOf = eventFields(view)[sorts[sort ?? "volume"]]
  return view.listing
    .allEvents()
    .filter(isMatch)
    .map((event) => ({
      event,
      closed: sort === undefined && view.isEventClosed(event) ? 1 : 0,
      key: Number(keyOf?.(event) ?? 0),
    }))
    .sort((a, b) => a.closed - b.closed || (a.key - b.key) * sign || a.event.index - b.event.index)
    .map(({ event }) => event)
}

const tagTest = (query: Query) => {
  const tags = query.texts("events_tag")
  if (tags.length === 0) return undefined
  return ({ plan }: Event) => plan.tags.some(({ slug, label }) => tags.includes(slug) || tags.includes(label))
}

const searchTags = (view: GammaView, matches: (title: string) => boolean) =>
  view.catalogue.tags
    .filter(({ label }) => matches(label))
    .map(({ id, label, slug }) => ({ id, label, slug, event_count: openEventsOf(view, id) }))

const searchProfiles = (view: GammaView, matches: (title: string) => boolean): ReadonlyArray<Wallet> =>
  view.sim.model.wallets.filter(({ name, pseudonym }) => matches(name ?? pseudonym))

export const searchText = (view: GammaView, query: Query): string => {
  const text = query.text("q")
  if (text === undefined) throw invalid("q is required")
  const matches = matcher(text)
  const limit = Math.min(query.integer("limit_per_type") ?? defaultPerType, maxPerType)
  const start = (Math.max(1, query.integer("page") ?? 1) - 1) * limit
  const pageOf = <A>(list: ReadonlyArray<A>) => list.slice(start, start + limit)
  const events = searchEvents(view, query, matches)
  const keepClosed = query.flag("keep_closed_markets") === true
  const shown = pageOf(events).map((event) => {
    const keepsAll = keepClosed || view.isEventClosed(event)
    return eventText(view, event, keepsAll ? {} : { keep: (market) => !view.isClosed(market) })
  })
  const isRequested = (name: string) => query.flag(name) !== false
  return objectText(
    `"events":${listText(shown)}`,
    fieldsText({
      tags: isRequested("search_tags") ? pageOf(searchTags(view, matches)) : undefined,
      profiles: isRequested("search_profiles")
        ? pageOf(searchProfiles(view, matches)).map((wallet) => profileJson(view, wallet))
        : undefined,
      pagination: { hasMore: start + limit < events.length, totalResults: events.length },
    }),
  )
}
