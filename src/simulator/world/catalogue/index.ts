import type { EventPlan, Millis, Series, Tag, Team } from "../model.ts"
import { Oracle } from "../oracle.ts"
import { levelEvents } from "./crypto/levels.ts"
import { upDownEvents } from "./crypto/upDown.ts"
import type { Draft, Source } from "./draft.ts"
import { day } from "./eastern.ts"
import { series } from "./series.ts"
import { leagues } from "./sports/leagues.ts"
import { marketTypes } from "./sports/markets/types.ts"
import { gameEvents } from "./sports/schedule.ts"
import { makeTeams } from "./sports/teams.ts"
import { tagged, tags } from "./tags.ts"
import { topicEvents } from "./topics/source.ts"

export { heatAt, nextHeatChange } from "./heat.ts"

export interface CatalogueLeague {
  readonly code: string
  readonly name: string
  readonly sportId: number
  readonly seriesId: string
  readonly tagIds: ReadonlyArray<string>
  /** Which team is named first. */
  readonly ordering: "home" | "away"
}

export interface Catalogue {
  readonly tags: ReadonlyArray<Tag>
  readonly series: ReadonlyArray<Series>
  readonly teams: ReadonlyArray<Team>
  readonly leagues: ReadonlyArray<CatalogueLeague>
  readonly marketTypes: ReadonlyArray<string>
  /** Every event created in [from, to), in order of createdAt; the same events whatever the slices asked for. */
  readonly eventsCreated: (from: Millis, to: Millis) => Iterable<EventPlan>
}

export interface CatalogueOptions {
  readonly seed: number
  /** Nothing is created before; what was announced earlier and is yet to come is created at this moment. */
  readonly historyStart: Millis
  /** Up/down events shorter than a day that end before this are left out, unless wanted. */
  readonly shortSince: Millis
  /** Older short up/down events to keep all the same, by slug; asked about every one of them. */
  readonly wanted?: (slug: string) => boolean
  /** Share of long-lived events and games, 0 to 1; fewer are always some of more. */
  readonly density: number
  /** How long before they open short up/down events are created; at most a day, which it is unless told. */
  readonly announced?: Millis
}

/** The newest days asked for are kept: the live world asks for the same day again and again. */
const daysKept = 2

const byCreation = (a: Draft, b: Draft) => a.createdAt - b.createdAt

/** Index of the first draft created at a moment or after; the live world asks several times a second. */
const firstSince = (drafts: ReadonlyArray<Draft>, at: Millis): number => {
  let low = 0
  let high = drafts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((drafts[middle] as Draft).createdAt < at) low = middle + 1
    else high = middle
  }
  return low
}

export const makeCatalogue = (options: CatalogueOptions): Catalogue => {
  const { seed, historyStart, shortSince, wanted, density, announced = day } = options
  const teams = makeTeams(seed)
  const sources: ReadonlyArray<Source> = [
    upDownEvents({ seed, shortSince, wanted, announced }),
    levelEvents(seed, new Oracle(seed)),
    topicEvents(seed, density),
    gameEvents({ seed, density, teams }),
  ]
  const firstDate = Math.floor(historyStart / day)

  const plannedOn = (date: number): ReadonlyArray<Draft> => sources.flatMap((source) => source.draftsOf(date))

  const plannedBefore = (): ReadonlyArray<Draft> =>
    sources.flatMap(({ lookback, draftsOf }) =>
      Array.from({ length: lookback }, (_, i) => draftsOf(firstDate - lookback + i)).flat(),
    )

  const createdOnFirstDate = (): ReadonlyArray<Draft> =>
    [...plannedBefore(), ...plannedOn(firstDate)].flatMap((draft) => {
      if (draft.createdAt >= historyStart) return [draft]
      return draft.worthUntil > historyStart ? [{ ...draft, createdAt: historyStart }] : []
    })

  const known = new Map<number, ReadonlyArray<Draft>>()
  const createdOn = (date: number): ReadonlyArray<Draft> => {
    const found = known.get(date)
    if (found !== undefined) return found
    const drafts = (date === firstDate ? createdOnFirstDate() : plannedOn(date)).toSorted(byCreation)
    known.set(date, drafts)
    if (known.size > daysKept) known.delete(known.keys().next().value as number)
    return drafts
  }

  function* eventsCreated(from: Millis, to: Millis): Iterable<EventPlan> {
    const start = Math.max(from, historyStart)
    for (let date = Math.floor(start / day); date * day < to; date++) {
      const drafts = createdOn(date)
      for (let i = firstSince(drafts, start); i < drafts.length; i++) {
        const { createdAt, make } = drafts[i] as Draft
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
