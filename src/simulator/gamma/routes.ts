import type { Event } from "../world/Venue.ts"
import { eventText, marketWriter, tagsOf } from "./event.ts"
import { eventFields, selectEvents } from "./eventList.ts"
import { fieldsText, listText, objectText } from "./format.ts"
import type { GammaView } from "./GammaView.ts"
import { marketFields, selectMarkets } from "./marketList.ts"
import { keysetPage, offsetPage, type PageSize, sortItems, sortOrderIn } from "./pagination.ts"
import { orNotFound, type Query } from "./Query.ts"
import {
  countedTagJson,
  fullSeriesJson,
  profilesOf,
  seriesList,
  sportJson,
  tagList,
  teamJson,
  teamList,
} from "./reference.ts"
import { searchText } from "./search.ts"

const offsetSize: PageSize = { defaultLimit: 20, maxLimit: 100 }
/** Larger limits are silently reduced. */
const keysetSize: PageSize = { defaultLimit: 20, maxLimit: 100 }

/** Returns JSON text; `key` is the path segment that matches the star. */
export type Route = (query: Query, key: string) => string
type Routes = Readonly<Record<string, Route>>

/** The address of the service's own contract, which some responses carry. */
const schemaText = (name: string) => fieldsText({ $schema: `https://gamma-api.polymarket.com/schemas/${name}.json` })

const keysetText = (name: string, items: ReadonlyArray<string>, next: string | undefined) =>
  objectText(schemaText(`Keyset-${name}`), `"${name}":${listText(items)}`, fieldsText({ next_cursor: next }))

const jsonRoutes = (routes: Readonly<Record<string, (query: Query, key: string) => unknown>>): Routes =>
  Object.fromEntries(
    Object.entries(routes).map(([path, handle]) => [path, (query, key) => JSON.stringify(handle(query, key))]),
  )

const eventRoutes = (view: GammaView): Routes => {
  const { listing } = view
  const list = (query: Query) => {
    const order = sortOrderIn(query, eventFields(view))
    return { order, events: sortItems(selectEvents(view, query), order) }
  }
  const optionsIn = (query: Query) => ({ withBestLines: query.flag("include_best_lines") === true })
  const show = (query: Query, event: Event) => eventText(view, event, optionsIn(query))
  return {
    "/events": (query) =>
      listText(offsetPage(query, list(query).events, offsetSize).map((event) => show(query, event))),
    "/events/keyset": (query) => {
      const { order, events } = list(query)
      const { items, next } = keysetPage(query, events, order, keysetSize)
      return keysetText(
        "events",
        items.map((event) => show(query, event)),
        next,
      )
    },
    "/events/*": (query, id) => show(query, orNotFound(listing.eventById(id), "event")),
    "/events/slug/*": (query, slug) => show(query, orNotFound(listing.eventBySlug(slug), "event")),
    "/events/*/tags": (_, id) => JSON.stringify(tagsOf(view, orNotFound(listing.eventById(id), "event"))),
  }
}

const marketRoutes = (view: GammaView): Routes => {
  const { listing } = view
  const list = (query: Query) => {
    const order = sortOrderIn(query, marketFields(view))
    return { order, markets: sortItems(selectMarkets(view, query), order) }
  }
  const writerFor = (query: Query) => marketWriter(view, query.flag("include_tag") === true)
  return {
    "/markets": (query) => listText(offsetPage(query, list(query).markets, offsetSize).map(writerFor(query))),
    "/markets/keyset": (query) => {
      const { order, markets } = list(query)
      const { items, next } = keysetPage(query, markets, order, keysetSize)
      return keysetText("markets", items.map(writerFor(query)), next)
    },
    "/markets/*": (query, id) => writerFor(query)(orNotFound(listing.marketById(id), "market")),
    "/markets/slug/*": (query, slug) => writerFor(query)(orNotFound(listing.marketBySlug(slug), "market")),
    "/markets/*/tags": (_, id) => JSON.stringify(tagsOf(view, orNotFound(listing.marketById(id), "market").event)),
  }
}

const referenceRoutes = (view: GammaView): Routes => {
  const { tags, series, teams, leagues, marketTypes } = view.catalogue
  const find = <A>(list: ReadonlyArray<A>, name: string, is: (item: A) => boolean) => orNotFound(list.find(is), name)
  return jsonRoutes({
    "/series": (query) => seriesList(view, query),
    "/series/*": (query, key) =>
      fullSeriesJson(
        view,
        find(series, "series", ({ id }) => id === key),
        query.flag("exclude_events") !== true,
      ),
    "/tags": (query) => tagList(view, query),
    "/tags/*": (_, key) =>
      countedTagJson(
        view,
        find(tags, "tag", ({ id }) => id === key),
      ),
    "/tags/slug/*": (_, key) =>
      countedTagJson(
        view,
        find(tags, "tag", ({ slug }) => slug === key),
      ),
    "/sports": () => leagues.map((league) => sportJson(view, league)),
    "/sports/market-types": () => ({ marketTypes }),
    "/teams": (query) => teamList(view, query),
    "/teams/*": (_, key) =>
      teamJson(
        view,
        find(teams, "team", ({ id }) => String(id) === key),
      ),
  })
}

export const routesOf = (view: GammaView): Routes => ({
  ...eventRoutes(view),
  ...marketRoutes(view),
  ...referenceRoutes(view),
  "/public-search": (query) => searchText(view, query),
  ...jsonRoutes({ "/public-profile": profilesOf(view) }),
})
