import { hash } from "../random.ts"
import type { CatalogueLeague } from "../world/catalogue/index.ts"
import type { Series, Tag, Team } from "../world/model.ts"
import type { Event } from "../world/Venue.ts"
import { imageOf } from "./market.ts"
import { iso } from "./times.ts"
import type { View } from "./View.ts"

export const tagJson = (view: View, { id, label, slug }: Tag) => ({
  id,
  label,
  slug,
  forceShow: false,
  forceHide: slug.startsWith("hide-"),
  isCarousel: ["politics", "sports", "crypto", "culture", "tech"].includes(slug),
  createdAt: iso(view.sim.made.world.start),
  updatedAt: iso(view.sim.made.world.start),
})

export const openEventsOf = (view: View, tag: string): number => {
  let open = 0
  for (const event of view.listing.ofTag(tag)) if (view.listing.eventClosesAt(event) > view.now) open += 1
  return open
}

export const countedTagJson = (view: View, tag: Tag) => ({
  ...tagJson(view, tag),
  activeEventsCount: openEventsOf(view, tag.id),
})

/** A series as an event carries it. */
export const seriesJson = (view: View, series: Series) => ({
  id: series.id,
  ticker: series.slug,
  slug: series.slug,
  title: series.title,
  seriesType: "single",
  recurrence: series.recurrence,
  active: true,
  closed: false,
  archived: false,
  restricted: true,
  image: imageOf(series.coin === undefined ? "sports" : "crypto"),
  startDate: iso(view.sim.made.world.start),
  commentCount: hash(Number(series.id), 13) % 5_000,
  cgAssetName: series.coin === undefined ? undefined : series.slug.split("-")[0],
})

const briefEventJson = (view: View, event: Event) => ({
  id: event.id,
  ticker: event.plan.slug,
  slug: event.plan.slug,
  title: event.plan.title,
  startDate: iso(event.plan.createdAt),
  endDate: iso(event.plan.endsAt),
  startTime: iso(event.plan.startsAt),
  active: true,
  closed: view.isEventClosed(event),
  archived: false,
  restricted: true,
})

/** A series on its own, with what its events come to and, unless left out, the events without their markets. */
export const wholeSeriesJson = (view: View, series: Series, withEvents: boolean) => {
  const events = view.listing.ofSeries(series.id).map((index) => view.listing.event(index) as Event)
  const total = (of: (event: Event) => number) =>
    Math.round(events.reduce((sum, each) => sum + of(each), 0) * 1e6) / 1e6
  const tags = events[0]?.plan.tags ?? []
  return {
    ...seriesJson(view, series),
    volume: total((event) => view.sum(event, (market) => view.volume(market))),
    volume24hr: total((event) => view.sum(event, (market) => view.recentVolume(market, "day"))),
    liquidity: total((event) => view.sum(event, (market) => view.liquidity(market))),
    tags: tags.map((tag) => tagJson(view, tag)),
    events: withEvents ? events.map((event) => briefEventJson(view, event)) : undefined,
  }
}

export const sportJson = (view: View, league: CatalogueLeague) => ({
  id: league.sportId,
  sport: league.code,
  image: imageOf(league.code),
  resolution: `https://results.invalid/${league.code}`,
  ordering: league.ordering,
  // One string with commas, unlike every other list.
  tags: league.tagIds.join(","),
  series: league.seriesId,
  primaryTagId: Number(league.tagIds.at(-1)),
  createdAt: iso(view.sim.made.world.start),
})

export const teamJson = (view: View, team: Team) => ({
  id: team.id,
  name: team.name,
  league: team.league,
  record: team.record,
  logo: `https://images.invalid/teams/${team.id}.png`,
  abbreviation: team.abbreviation,
  alias: team.alias,
  color: team.color,
  providerId: providerIdOf(team),
  createdAt: iso(view.sim.made.world.start),
  updatedAt: iso(view.sim.made.world.start),
})

export const providerIdOf = ({ id }: Team): number => 1_000_000 + id
