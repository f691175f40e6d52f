import type { DraftSource, EventDraft, EventPlan, MarketPlan, Millis, Series, Tag, Team } from "../model.ts"
import { Oracle } from "../oracle.ts"
import { levelEvents } from "./crypto/levels.ts"
import { upDownEvents } from "./crypto/upDown.ts"
import { day, hour, minute } from "./eastern.ts"
import { series } from "./series.ts"
import { marketTypes } from "./sports/events.ts"
import { leagues } from "./sports/leagues.ts"
import { type MatchDay, matchDayEvents } from "./sports/matchDay.ts"
import { gameEvents } from "./sports/schedule.ts"
import { makeTeams } from "./sports/teams.ts"
import { tagged, tags } from "./tags.ts"
import { topicEvents } from "./topics/source.ts"

export interface CatalogueLeague {
  readonly code: string
  readonly name: string
  readonly sportId: number
  readonly seriesId: string
  readonly tagIds: ReadonlyArray<string>
  /** The team named first. */
  readonly ordering: "home" | "away"
}

export interface Catalogue {
  readonly tags: ReadonlyArray<Tag>
  readonly series: ReadonlyArray<Series>
  readonly teams: ReadonlyArray<Team>
  readonly leagues: ReadonlyArray<CatalogueLeague>
  readonly marketTypes: ReadonlyArray<string>
  /** Events created in [from, to), in order of createdAt, independent of how the time is sliced. */
  readonly eventsCreated: (from: Millis, to: Millis) => Iterable<EventPlan>
}

export interface CatalogueOptions {
  readonly seed: number
  /** No event is created earlier; still relevant events announced before are created at this moment. */
  readonly historyStart: Millis
  /** Up/down events shorter than a day that end earlier are omitted unless `keepSlug` accepts them. */
  readonly shortSince: Millis
  /** Called with the slug of every older short up/down event; true keeps it. */
  readonly keepSlug?: (slug: string) => boolean
  /** Share of long-lived events and games, 0 to 1; a lower density gives a subset of a higher one. */
  readonly density: number
  /** How long before their opening short up/down events are created; at most and by default a day. */
  readonly announcedAhead?: Millis
  /** Further games, so many of them in play at any time since genesis. */
  readonly matchDay?: MatchDay | undefined
}

/** Days kept in the cache: the live world reads the same day repeatedly. */
const cachedDays = 2

const byCreation = (a: EventDraft, b: EventDraft) => a.createdAt - b.createdAt

/** Index of the first draft created at or after a moment; called several times a second. */
const firstSince = (drafts: ReadonlyArray<EventDraft>, at: Millis): number => {
  let low = 0
  let high = drafts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((drafts[middle] as EventDraft).createdAt < at) low = middle + 1
    else high = middle
  }
  return low
}

export const makeCatalogue = (options: CatalogueOptions): Catalogue => {
  const { seed, historyStart, shortSince, keepSlug, density, announcedAhead = day, matchDay } = options
  const teams = makeTeams(seed)
  const sources: ReadonlyArray<DraftSource> = [
    upDownEvents({ seed, shortSince, keepSlug, announcedAhead }),
    levelEvents(seed, new Oracle(seed)),
    topicEvents(seed, density),
    gameEvents({ seed, density, teams }),
    ...(matchDay === undefined ? [] : [matchDayEvents(seed, teams, matchDay)]),
  ]
  const firstDate = Math.floor(historyStart / day)

  const plannedOn = (date: number): ReadonlyArray<EventDraft> => sources.flatMap((source) => source.draftsOf(date))

  const plannedBefore = (): ReadonlyArray<EventDraft> =>
    sources.flatMap(({ lookbackDays, draftsOf }) =>
      Array.from({ length: lookbackDays }, (_, i) => draftsOf(firstDate - lookbackDays + i)).flat(),
    )

  const createdOnFirstDate = (): ReadonlyArray<EventDraft> =>
    [...plannedBefore(), ...plannedOn(firstDate)].flatMap((draft) => {
      if (draft.createdAt >= historyStart) return [draft]
      return draft.relevantUntil > historyStart ? [{ ...draft, createdAt: historyStart }] : []
    })

  const cache = new Map<number, ReadonlyArray<EventDraft>>()
  const createdOn = (date: number): ReadonlyArray<EventDraft> => {
    const found = cache.get(date)
    if (found !== undefined) return found
    const drafts = (date === firstDate ? createdOnFirstDate() : plannedOn(date)).toSorted(byCreation)
    cache.set(date, drafts)
    if (cache.size > cachedDays) cache.delete(cache.keys().next().value as number)
    return drafts
  }

  function* eventsCreated(from: Millis, to: Millis): Iterable<EventPlan> {
    const start = Math.max(from, historyStart)
    for (let date = Math.floor(start / day); date * day < to; date++) {
      const drafts = createdOn(date)
      for (let i = firstSince(drafts, start); i < drafts.length; i++) {
        const { createdAt, make } = drafts[i] as EventDraft
        if (createdAt >= to) return
        yield make(createdAt)
      }
    }
  }

  return {
    tags,
    series,
    teams: teams.flat(),
    leagues: leagues.map(({ code, name, sportId, seriesId, tags: slugs, ordering }) => ({
      code,
      name,
      sportId,
      seriesId,
      tagIds: tagged(...slugs).map(({ id }) => id),
      ordering,
    })),
    marketTypes,
    eventsCreated,
  }
}

/**
 * Activity of a market at a moment as a share of its weight, 0 to 1: up/down markets are active in their window, games
 * while they are played, everything else mainly after its creation and on its last day.
 */
export const heatAt = (event: EventPlan, market: MarketPlan, at: Millis): number => {
  if (at < event.createdAt || at >= market.endsAt) return 0
  const untilStart = event.startsAt - at
  if (market.rule.kind === "updown") {
    if (untilStart <= 0) return 1
    return untilStart < 5 * minute ? 0.1 : 0.001
  }
  if (event.game !== undefined) {
    if (untilStart <= 0) return 1
    if (untilStart < hour) return 0.6
    return untilStart < 12 * hour ? 0.2 : 0.03
  }
  const isFresh = at - event.createdAt < 6 * hour
  const isEnding = market.endsAt - at < 24 * hour
  return isFresh || isEnding ? 1 : 0.5
}

/** The next moment after `at` at which the heat of a market changes. */
export const nextHeatChange = (event: EventPlan, market: MarketPlan, at: Millis): Millis | undefined =>
  heatChanges(event, market).find((moment) => moment > at && moment < market.endsAt)

const heatChanges = (event: EventPlan, market: MarketPlan): ReadonlyArray<Millis> => {
  const { startsAt, createdAt } = event
  if (market.rule.kind === "updown") return [startsAt - 5 * minute, startsAt]
  if (event.game !== undefined) return [startsAt - 12 * hour, startsAt - hour, startsAt]
  return [createdAt + 6 * hour, market.endsAt - 24 * hour].sort((a, b) => a - b)
}
