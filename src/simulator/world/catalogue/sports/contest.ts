import { Dice, hash, seedOf } from "../../../random.ts"
import type { Game, Millis, ScoreChange, Team } from "../../model.ts"
import { popularity } from "../chance.ts"
import { civil, day, isoDate, minute } from "../eastern.ts"
import type { League } from "./leagues.ts"
import { type Sport, sports } from "./play/index.ts"
import { lastsInAll, type Match, narrate, type Score, type Side, scoreOf } from "./play/match.ts"
import type { Player, Rosters } from "./players.ts"

/** A game with all that is known to nobody before it is over. */
export interface Contest {
  readonly league: League
  readonly game: Game
  readonly sport: Sport
  readonly match: Match
  readonly final: Score
  readonly firstHalf: Score
  /** How much better the home side is. */
  readonly edge: number
  /** Points of both sides together that people expect. */
  readonly expectedTotal: number
  readonly slug: string
  /** In the league's order: Lakers vs. Celtics */
  readonly title: string
  readonly date: string
  readonly halfEndsAt: Millis
  /** From the end to the report of the result. */
  readonly reportedAfter: Millis
  readonly weight: number
  readonly players: Readonly<Record<Side, ReadonlyArray<Player>>>
  readonly dice: Dice
}

export interface Fixture {
  readonly id: number
  readonly league: League
  /** Days since 1970 of the date in New York. */
  readonly date: number
  readonly home: Team
  readonly away: Team
  readonly startsAt: Millis
}

export const fixtureSlug = ({ league, date, home, away }: Fixture): string =>
  `${league.code}-${away.abbreviation}-${home.abbreviation}-${isoDate(civil(date * day))}`

const strengthOf = (seed: number, { id }: Team): number => (hash(seed, id) / 0xffffffff) * 1.6 - 0.8

const homeAdvantage = 0.25

const gameOf = (seed: number, { id, league, home, away, startsAt }: Fixture, match: Match): Game => {
  let told: ReadonlyArray<ScoreChange> | undefined
  return {
    id,
    league: league.code,
    home,
    away,
    startsAt,
    endsAt: startsAt + lastsInAll(match.stretches),
    // Told when first asked for: half a year of games has a million moments that hardly anyone looks at.
    get scores() {
      told ??= narrate(match, startsAt, new Dice(seed, id))
      return told
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
  const firstHalf = match.stretches.slice(0, match.half)
  const named = league.ordering === "home" ? [home, away] : [away, home]
  return {
    league,
    game: gameOf(seedOf(worldSeed, "scores"), fixture, match),
    sport,
    match,
    final: scoreOf(match.stretches),
    firstHalf: scoreOf(firstHalf),
    edge,
    expectedTotal: sport.total.mean * (0.97 + 0.06 * dice.unit()),
    slug: fixtureSlug(fixture),
    title: named.map(({ alias }) => alias).join(" vs. "),
    date: isoDate(civil(fixture.date * day)),
    halfEndsAt: startsAt + lastsInAll(firstHalf),
    reportedAfter: dice.between(5 * minute, 40 * minute),
    weight: league.weight * Math.sqrt(popularity(dice)),
    players: { home: rosters(home), away: rosters(away) },
    dice,
  }
}
