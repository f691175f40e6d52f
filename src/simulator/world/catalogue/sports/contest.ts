import { Dice, hash, seedOf } from "../../../random.ts"
import type { Game, Millis, ScoreChange, Team } from "../../model.ts"
import { popularity } from "../chance.ts"
import { civil, day, isoDate, minute } from "../eastern.ts"
import type { League, SportName } from "./leagues.ts"
import { baseball, basketball, football } from "./play/american.ts"
import { hockey, soccer } from "./play/goals.ts"
import { type Match, type Score, type Side, scoreOf, scoreTimeline, totalDuration } from "./play/match.ts"
import { counterStrike, tennis } from "./play/sets.ts"
import type { Player, Rosters } from "./teams.ts"

/** Result model of a sport; `edge`, from -2 to 2, is the advantage of the home side. */
interface Sport {
  readonly play: (dice: Dice, edge: number) => Match
  /** Expected home minus away points per edge of 1, and their deviation. */
  readonly margin: { readonly perEdge: number; readonly sigma: number }
  readonly total: { readonly mean: number; readonly sigma: number }
}

const sports: Readonly<Record<SportName, Sport>> = {
  basketball: { play: basketball, margin: { perEdge: 6.6, sigma: 16 }, total: { mean: 220, sigma: 16 } },
  football: { play: football, margin: { perEdge: 4.2, sigma: 14 }, total: { mean: 49, sigma: 14 } },
  baseball: { play: baseball, margin: { perEdge: 0.96, sigma: 4.1 }, total: { mean: 8.6, sigma: 4.1 } },
  hockey: { play: hockey, margin: { perEdge: 0.6, sigma: 2.3 }, total: { mean: 6.2, sigma: 2.3 } },
  soccer: { play: soccer, margin: { perEdge: 0.54, sigma: 1.6 }, total: { mean: 2.7, sigma: 1.6 } },
  tennis: { play: tennis, margin: { perEdge: 2.2, sigma: 6 }, total: { mean: 24, sigma: 6 } },
  counterStrike: { play: counterStrike, margin: { perEdge: 3, sigma: 9 }, total: { mean: 50, sigma: 10 } },
}

export interface Fixture {
  readonly id: number
  readonly league: League
  /** New York date in days since 1970. */
  readonly date: number
  readonly home: Team
  readonly away: Team
  readonly startsAt: Millis
  /** Ends the slug where the sides meet more than once a day. */
  readonly slugEnd?: string
}

/** A game with its full, still secret course. */
export interface Contest {
  readonly league: League
  readonly game: Game
  readonly sport: Sport
  readonly match: Match
  readonly final: Score
  readonly firstHalf: Score
  /** Advantage of the home side. */
  readonly edge: number
  /** Expected points of both sides together. */
  readonly expectedTotal: number
  readonly slug: string
  /** In the league's order: Lakers vs. Celtics */
  readonly title: string
  readonly date: string
  readonly halfEndsAt: Millis
  /** Time from the end to the reported result. */
  readonly reportDelay: Millis
  readonly weight: number
  readonly players: Readonly<Record<Side, ReadonlyArray<Player>>>
  readonly dice: Dice
}

const fixtureSlug = ({ league, date, home, away, slugEnd = "" }: Fixture): string =>
  `${league.code}-${away.abbreviation}-${home.abbreviation}-${isoDate(civil(date * day))}${slugEnd}`

const sampledMatches = 64

/** How long a game of a league lasts on average. */
export const averageDuration = ({ sport }: League): Millis => {
  const matches = Array.from({ length: sampledMatches }, (_, i) => sports[sport].play(new Dice(i), 0))
  return matches.reduce((sum, { periods }) => sum + totalDuration(periods), 0) / sampledMatches
}

const strengthOf = (seed: number, { id }: Team): number => (hash(seed, id) / 0xffffffff) * 1.6 - 0.8

const homeAdvantage = 0.25

const gameOf = (seed: number, { id, league, home, away, startsAt }: Fixture, match: Match): Game => {
  let scores: ReadonlyArray<ScoreChange> | undefined
  return {
    id,
    league: league.code,
    home,
    away,
    startsAt,
    endsAt: startsAt + totalDuration(match.periods),
    // Computed on demand: half a year of games has a million score changes, most of them never read.
    get scores() {
      scores ??= scoreTimeline(match, startsAt, new Dice(seed, id))
      return scores
    },
  }
}

export const playContest = (worldSeed: number, rosters: Rosters, fixture: Fixture): Contest => {
  const { league, home, away, id, startsAt } = fixture
  const sport = sports[league.sport]
  const dice = new Dice(seedOf(worldSeed, "contests"), id)
  const strength = seedOf(worldSeed, "strength")
  const isAtHome = league.sport !== "tennis" && league.sport !== "counterStrike"
  const edge = strengthOf(strength, home) - strengthOf(strength, away) + (isAtHome ? homeAdvantage : 0)
  const match = sport.play(dice, edge)
  const firstHalf = match.periods.slice(0, match.firstHalfPeriods)
  const named = league.ordering === "home" ? [home, away] : [away, home]
  return {
    league,
    game: gameOf(seedOf(worldSeed, "scores"), fixture, match),
    sport,
    match,
    final: scoreOf(match.periods),
    firstHalf: scoreOf(firstHalf),
    edge,
    expectedTotal: sport.total.mean * (0.97 + 0.06 * dice.unit()),
    slug: fixtureSlug(fixture),
    title: named.map(({ alias }) => alias).join(" vs. "),
    date: isoDate(civil(fixture.date * day)),
    halfEndsAt: startsAt + totalDuration(firstHalf),
    reportDelay: dice.between(5 * minute, 40 * minute),
    weight: league.weight * Math.sqrt(popularity(dice)),
    players: { home: rosters(home), away: rosters(away) },
    dice,
  }
}
