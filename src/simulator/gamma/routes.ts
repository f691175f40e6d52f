import type { Event } from "../world/Venue.ts"
import { eventText, marketWriter, tagsOf } from "./event.ts"
import { eventFields, selectEvents } from "./eventList.ts"
import { marketFields, selectMarkets } from "./marketList.ts"
import { orderOf } from "./order.ts"
import { keysetPage, offsetPage, type PageSize, sortedBy } from "./page.ts"
import { profilesOf } from "./profile.ts"
import type { Query } from "./Query.ts"
import { countedTagJson, sportJson, teamJson, wholeSeriesJson } from "./reference.ts"
import { seriesList, tagList, teamList } from "./referenceList.ts"
import { found } from "./refusal.ts"
import { searchText } from "./search.ts"
import { fieldsText, listText, objectText } from "./text.ts"
import type { View } from "./View.ts"

const offsetSize: PageSize = { usual: 20, most: 100 }
const eventKeysetSize: PageSize = { usual: 20, most: 500 }
const marketKeysetSize: PageSize = { usual: 20, most: 100 }

/** Answers with JSON; `key` is what the path names. */
export type Route = (query: Query, key: string) => string
type Routes = Readonly<Record<string, Route>>

const keysetText = (name: string, items: ReadonlyArray<string>, next: string | undefined) =>
  objectText(`"${name}":${listText(items)}`, fieldsText({ next_cursor: next }))

/** Routes of a few small objects. */
const plain = (routes: Readonly<Record<string, (query: Query, key: string) => unknown>>): Routes =>
  Object.fromEntries(Object.entries(routes).map(([path, of]) => [path, (query, key) => JSON.stringify(of(query, key))]))

const eventRoutes = (view: View): Routes => {
  const { listing } = view
  const list = (query: Query) => {
    const order = orderOf(query, eventFields(view))
    return { order, events: sortedBy(selectEvents(view, query), order) }
  }
  const partsOf = (query: Query) => ({ withBestLines: query.flag("include_best_lines") === true })
  const show = (query: Query, event: Event) => eventText(view, event, partsOf(query))
  return {
    "/events": (query) =>
      listText(offsetPage(query, list(query).events, offsetSize).map((event) => show(query, event))),
    "/events/keyset": (query) => {
      const { order, events } = list(query)
      const { items, next } = keysetPage(query, events, order, eventKeysetSize)
      return keysetText(
        "events",
        items.map((event) => show(query, event)),
        next,
      )
    },
    "/events/*": (query, id) => show(query, found(listing.eventWithId(id), "event")),
    "/events/slug/*": (query, slug) => show(query, found(listing.eventWith(slug), "event")),
    "/events/*/tags": (_, id) => JSON.stringify(tagsOf(view, found(listing.eventWithId(id), "event"))),
  }
}

const marketRoutes = (view: View): Routes => {
  const { listing } = view
  const list = (query: Query) => {
    const order = orderOf(query, marketFields(view))
    return { order, markets: sortedBy(selectMarkets(view, query), order) }
  }
  const writerFor = (query: Query) => marketWriter(view, query.flag("include_tag") === true)
  return {
    "/markets": (query) => listText(offsetPage(query, list(query).markets, offsetSize).map(writerFor(query))),
    "/markets/keyset": (query) => {
      const { order, markets } = list(query)
      const { items, next } = keysetPage(query, markets, order, marketKeysetSize)
      return keysetText("markets", items.map(writerFor(query)), next)
    },
    "/markets/*": (query, id) => writerFor(query)(found(listing.marketWithId(id), "market")),
    "/markets/slug/*": (query, slug) => writerFor(query)(found(listing.marketWith(slug), "market")),
    "/markets/*/tags": (_, id) => JSON.stringify(tagsOf(view, found(listing.marketWithId(id), "market").event)),
  }
}

const referenceRoutes = (view: View): Routes => {
  const { tags, series, teams, leagues, marketTypes } = view.catalogue
  const one = <A>(list: ReadonlyArray<A>, name: string, is: (item: A) => boolean) => found(list.find(is), name)
  return plain({
    "/series": (query) => seriesList(view, query),
    "/series/*": (query, key) =>
      wholeSeriesJson(
        view,
        one(series, "series", ({ id }) => id === key),
        query.flag("exclude_events") !== true,
      ),
    "/tags": (query) => tagList(view, query),
    "/tags/*": (_, key) =>
      countedTagJson(
        view,
        one(tags, "tag", ({ id }) => id === key),
      ),
    "/tags/slug/*": (_, key) =>
      countedTagJson(
        view,
        one(tags, "tag", ({ slug }) => slug === key),
      ),
    "/sports": () => leagues.map((league) => sportJson(view, league)),
    "/sports/market-types": () => ({ marketTypes }),
    "/teams": (query) => teamList(view, query),
    "/teams/*": (_, key) =>
      teamJson(
        view,
        one(teams, "team", ({ id }) => String(id) === key),
      ),
  })
}

export const routesOf = (view: View): Routes => ({
  ...eventRoutes(view),
  ...marketRoutes(view),
  ...referenceRoutes(view),
  "/public-search": (query) => searchText(view, query),
  ...plain({ "/public-profile": profilesOf(view) }),
})
