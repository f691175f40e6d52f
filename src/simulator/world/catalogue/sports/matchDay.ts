import { hash, seedOf } from "../../../random.ts"
import type { DraftSource, Millis, Team } from "../../model.ts"
import { day, hour } from "../eastern.ts"
import { averageDuration, type Fixture } from "./contest.ts"
import { type League, leagues } from "./leagues.ts"
import { draftsOfFixture } from "./schedule.ts"
import { makeRosters } from "./teams.ts"

/** Games beyond the schedule of the leagues: one starts in every league at equal distances in time. */
export interface MatchDay {
  /** Games in play at any time, over all leagues. */
  readonly games: number
  /** Games that are over before are left out. */
  readonly genesis: Millis
}

/** Games to come for each one in play. */
const upcomingPerLive = 10

/** So many games have one with all markets. */
const wholeEvery = 8

/** Hardly a game is longer. */
const longest = 5 * hour

/** Apart from the ids of scheduled games. */
const firstId = 1_000_000_000

interface Rhythm {
  readonly index: number
  readonly league: League
  readonly teams: ReadonlyArray<Team>
  /** Time between the starts of two games. */
  readonly every: Millis
  /** How long before its start a game is announced. */
  readonly ahead: Millis
}

const rhythmOf = (index: number, teams: ReadonlyArray<Team>, games: number): Rhythm => {
  const league = leagues[index] as League
  const every = Math.round((averageDuration(league) * leagues.length) / games)
  const inPlay = games / leagues.length
  return { index, league, teams, every, ahead: Math.round(every * inPlay * upcomingPerLive) }
}

/** Teams play several games at once: there are not enough of them. */
const fixtureOf = (seed: number, { index, league, teams, every }: Rhythm, n: number): Fixture => {
  const id = firstId + n * leagues.length + index
  const home = hash(seed, id, 1) % teams.length
  const away = (home + 1 + (hash(seed, id, 2) % (teams.length - 1))) % teams.length
  const startsAt = n * every
  return {
    id,
    league,
    date: Math.floor((startsAt - 5 * hour) / day),
    home: teams[home] as Team,
    away: teams[away] as Team,
    startsAt,
    slugEnd: `-${id}`,
  }
}

export const matchDayEvents = (
  worldSeed: number,
  teams: ReadonlyArray<ReadonlyArray<Team>>,
  { games, genesis }: MatchDay,
): DraftSource => {
  const seed = seedOf(worldSeed, "match day")
  const rosters = makeRosters(worldSeed)
  const rhythms = leagues.map((_, index) => rhythmOf(index, teams[index] as ReadonlyArray<Team>, games))

  /** Games of a league that are announced on a day. */
  const fixturesOn = (rhythm: Rhythm, date: number): ReadonlyArray<Fixture> => {
    const { every, ahead } = rhythm
    const first = Math.ceil(Math.max(date * day + ahead, genesis - longest) / every)
    const end = Math.ceil(((date + 1) * day + ahead) / every)
    return Array.from({ length: Math.max(0, end - first) }, (_, i) => fixtureOf(seed, rhythm, first + i))
  }

  return {
    lookbackDays: 1 + Math.ceil(Math.max(...rhythms.map(({ ahead }) => ahead)) / day),
    draftsOf: (date) =>
      rhythms.flatMap((rhythm) =>
        fixturesOn(rhythm, date).flatMap((fixture) =>
          draftsOfFixture(worldSeed, rosters, fixture, {
            announced: fixture.startsAt - rhythm.ahead,
            relevantUntil: fixture.startsAt + longest,
            coverage: hash(seed, fixture.id, 3) % wholeEvery === 0 ? "whole" : "main",
          }),
        ),
      ),
  }
}
