import type { Wallet } from "../world/model.ts"
import type { Event } from "../world/Venue.ts"
import { eventText } from "./event.ts"
import { eventFields } from "./eventList.ts"
import { allOf, oneOf, untagged } from "./filter.ts"
import { profileJson } from "./profile.ts"
import type { Query } from "./Query.ts"
import { openEventsOf } from "./reference.ts"
import { invalid } from "./refusal.ts"
import { fieldsText, listText, objectText } from "./text.ts"
import type { View } from "./View.ts"

/** Sort names of the search are those of the lists in another spelling. */
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

const usualPerType = 10
const mostPerType = 50

const matcher = (text: string) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return (title: string) => {
    const lower = title.toLowerCase()
    return words.every((word) => lower.includes(word))
  }
}

/** Open events first, unless a sort is asked for; the busiest first within each. */
const searchEvents = (view: View, query: Query, matches: (title: string) => boolean): ReadonlyArray<Event> => {
  const status = query.oneOf("events_status", ["active", "closed"])
  const test = allOf<Event>([
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
    .filter(test)
    .map((event) => ({
      event,
      closed: sort === undefined && view.isEventClosed(event) ? 1 : 0,
      key: Number(keyOf?.(event) ?? 0),
    }))
    .sort((a, b) => a.closed - b.closed || (a.key - b.key) * sign || a.event.index - b.event.index)
    .map(({ event }) => event)
}

const tagTest = (query: Query) => {
  const wanted = query.texts("events_tag")
  if (wanted.length === 0) return undefined
  return ({ plan }: Event) => plan.tags.some(({ slug, label }) => wanted.includes(slug) || wanted.includes(label))
}

const searchTags = (view: View, matches: (title: string) => boolean) =>
  view.catalogue.tags
    .filter(({ label }) => matches(label))
    .map(({ id, label, slug }) => ({ id, label, slug, event_count: openEventsOf(view, id) }))

const searchProfiles = (view: View, matches: (title: string) => boolean): ReadonlyArray<Wallet> =>
  view.sim.made.wallets.filter(({ name, pseudonym }) => matches(name ?? pseudonym))

export const searchText = (view: View, query: Query): string => {
  const text = query.text("q")
  if (text === undefined) throw invalid("q is required")
  const matches = matcher(text)
  const limit = Math.min(query.whole("limit_per_type") ?? usualPerType, mostPerType)
  const start = (Math.max(1, query.whole("page") ?? 1) - 1) * limit
  const part = <A>(list: ReadonlyArray<A>) => list.slice(start, start + limit)
  const events = searchEvents(view, query, matches)
  const keepClosed = query.flag("keep_closed_markets") === true
  const shown = part(events).map((event) => {
    const isKept = keepClosed || view.isEventClosed(event)
    return eventText(view, event, isKept ? {} : { keep: (market) => !view.isClosed(market) })
  })
  const isAsked = (name: string) => query.flag(name) !== false
  return objectText(
    `"events":${listText(shown)}`,
    fieldsText({
      tags: isAsked("search_tags") ? part(searchTags(view, matches)) : undefined,
      profiles: isAsked("search_profiles")
        ? part(searchProfiles(view, matches)).map((wallet) => profileJson(view, wallet))
        : undefined,
      pagination: { hasMore: start + limit < events.length, totalResults: events.length },
    }),
  )
}
