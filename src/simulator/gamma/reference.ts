import { pictureOf } from "../pictures.ts"
import { hash } from "../random.ts"
import type { CatalogueLeague } from "../world/catalogue/index.ts"
import type { Series, Tag, Team, Wallet } from "../world/model.ts"
import type { Event } from "../world/Venue.ts"
import { displayNameOf, isVerified, joinedAt, xUsernameOf } from "../world/wallets.ts"
import { allOf, flagged, oneOf } from "./filter.ts"
import { iso } from "./format.ts"
import type { GammaView } from "./GammaView.ts"
import { offsetPage, type PageSize } from "./pagination.ts"
import { GammaError, orNotFound, type Query } from "./Query.ts"

export const tagJson = (view: GammaView, { id, label, slug }: Tag) => ({
  id,
  label,
  slug,
  forceShow: false,
  forceHide: slug.startsWith("hide-"),
  isCarousel: ["politics", "sports", "crypto", "culture", "tech"].includes(slug),
  createdAt: view.startText,
  updatedAt: view.startText,
})

export const openEventsOf = (view: GammaView, tag: string): number => {
  let open = 0
  for (const event of view.listing.ofTag(tag)) if (view.listing.eventClosesAt(event) > view.now) open += 1
  return open
}

export const countedTagJson = (view: GammaView, tag: Tag) => ({
  ...tagJson(view, tag),
  activeEventsCount: openEventsOf(view, tag.id),
})

/** A series as nested in an event. */
export const seriesJson = (view: GammaView, series: Series) => ({
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
  image: pictureOf(view.sim, series.coin === undefined ? "sports" : "crypto"),
  startDate: view.startText,
  commentCount: hash(Number(series.id), 13) % 5_000,
  cgAssetName: series.coin === undefined ? undefined : series.slug.split("-")[0],
})

const briefEventJson = (view: GammaView, event: Event) => ({
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

/** A series with totals over its events and, optionally, the events without their markets. */
export const fullSeriesJson = (view: GammaView, series: Series, withEvents: boolean) => {
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

export const sportJson = (view: GammaView, league: CatalogueLeague) => ({
  id: league.sportId,
  sport: league.code,
  name: league.name,
  image: pictureOf(view.sim, league.code),
  resolution: `https://results.invalid/${league.code}`,
  ordering: league.ordering,
  // One string with commas, unlike every other list.
  tags: league.tagIds.join(","),
  series: league.seriesId,
  primaryTagId: Number(league.tagIds.at(-1)),
  createdAt: view.startText,
})

export const teamJson = (view: GammaView, team: Team) => ({
  id: team.id,
  name: team.name,
  league: team.league,
  record: team.record,
  logo: pictureOf(view.sim, `teams/${team.id}`),
  abbreviation: team.abbreviation,
  alias: team.alias,
  color: team.color,
  providerId: providerIdOf(team),
  createdAt: view.startText,
  updatedAt: view.startText,
})

const providerIdOf = ({ id }: Team): number => 1_000_000 + id

export const profileJson = (view: GammaView, wallet: Wallet) => ({
  createdAt: iso(joinedAt(wallet, view.sim.model.world.start)),
  proxyWallet: wallet.address,
  profileImage: "",
  displayUsernamePublic: wallet.name !== undefined,
  bio: "",
  pseudonym: wallet.pseudonym,
  name: displayNameOf(wallet, view.sim.model.world.start),
  users: [{ id: String(1_000_000 + wallet.index), creator: false, mod: false }],
  xUsername: xUsernameOf(wallet),
  verifiedBadge: isVerified(wallet),
})

/** Finds profiles by the address of the wallet or of its owner. */
export const profilesOf = (view: GammaView) => {
  const byAddress = new Map<string, Wallet>()
  for (const wallet of view.sim.model.wallets) {
    byAddress.set(wallet.owner.toLowerCase(), wallet)
    byAddress.set(wallet.address.toLowerCase(), wallet)
  }
  return (query: Query) => {
    const address = query.text("address")?.toLowerCase() ?? ""
    if (!/^0x[0-9a-f]{40}$/.test(address)) throw new GammaError(400, "invalid address")
    return profileJson(view, orNotFound(byAddress.get(address), "profile"))
  }
}

const seriesSize: PageSize = { defaultLimit: 50, maxLimit: 50 }
const shortRowSize: PageSize = { defaultLimit: 100, maxLimit: 100 }

export const seriesList = (view: GammaView, query: Query) => {
  const matches = allOf<Series>([
    oneOf(query.texts("slug"), ({ slug }) => slug),
    oneOf(query.texts("recurrence"), ({ recurrence }) => recurrence),
    flagged(query, "closed", () => false),
  ])
  const withEvents = query.flag("exclude_events") !== true
  return offsetPage(query, view.catalogue.series.filter(matches), seriesSize).map((series) =>
    fullSeriesJson(view, series, withEvents),
  )
}

export const tagList = (view: GammaView, query: Query) => {
  const carousel = query.flag("is_carousel")
  const tags = view.catalogue.tags.map((tag) => countedTagJson(view, tag))
  return offsetPage(
    query,
    tags.filter(({ isCarousel }) => carousel === undefined || isCarousel === carousel),
    shortRowSize,
  )
}

export const teamList = (view: GammaView, query: Query) => {
  const matches = allOf<Team>([
    oneOf(query.texts("league"), ({ league }) => league),
    oneOf(query.texts("name"), ({ name }) => name),
    oneOf(query.texts("abbreviation"), ({ abbreviation }) => abbreviation),
    oneOf(query.integers("provider_id"), providerIdOf),
  ])
  return offsetPage(query, view.catalogue.teams.filter(matches), shortRowSize).map((team) => teamJson(view, team))
}
