import type { Series, Team } from "../world/model.ts"
import { allOf, flagged, oneOf } from "./filter.ts"
import { offsetPage } from "./page.ts"
import type { Query } from "./Query.ts"
import { countedTagJson, providerIdOf, teamJson, wholeSeriesJson } from "./reference.ts"
import type { View } from "./View.ts"

const seriesSize = { usual: 50, most: 50 }
const shortRowSize = { usual: 100, most: 100 }

export const seriesList = (view: View, query: Query) => {
  const test = allOf<Series>([
    oneOf(query.texts("slug"), ({ slug }) => slug),
    oneOf(query.texts("recurrence"), ({ recurrence }) => recurrence),
    flagged(query, "closed", () => false),
  ])
  const withEvents = query.flag("exclude_events") !== true
  return offsetPage(query, view.catalogue.series.filter(test), seriesSize).map((series) =>
    wholeSeriesJson(view, series, withEvents),
  )
}

export const tagList = (view: View, query: Query) => {
  const carousel = query.flag("is_carousel")
  const tags = view.catalogue.tags.map((tag) => countedTagJson(view, tag))
  return offsetPage(
    query,
    tags.filter(({ isCarousel }) => carousel === undefined || isCarousel === carousel),
    shortRowSize,
  )
}

export const teamList = (view: View, query: Query) => {
  const test = allOf<Team>([
    oneOf(query.texts("league"), ({ league }) => league),
    oneOf(query.texts("name"), ({ name }) => name),
    oneOf(query.texts("abbreviation"), ({ abbreviation }) => abbreviation),
    oneOf(query.wholes("provider_id"), providerIdOf),
  ])
  return offsetPage(query, view.catalogue.teams.filter(test), shortRowSize).map((team) => teamJson(view, team))
}
