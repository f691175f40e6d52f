import type { EventPlan } from "../../model.ts"
import { leagueSeriesFor } from "../series.ts"
import { tagged } from "../tags.ts"
import type { Contest } from "./contest.ts"
import type { SportName } from "./leagues.ts"
import { baseballOffers, basketballOffers, footballOffers, hockeyOffers } from "./markets/american.ts"
import { marketOf, type Offer } from "./markets/offer.ts"
import { counterStrikeOffers, tennisOffers } from "./markets/sets.ts"
import { soccerExactScore, soccerHalftime, soccerMore, soccerResult } from "./markets/soccer.ts"

/** One event of a game. Sports with draws need separate events for mutually exclusive markets. */
interface EventPart {
  readonly slug: string
  readonly title: string
  readonly negRisk: boolean
  readonly offers: (contest: Contest) => ReadonlyArray<Offer>
}

const whole = (offers: EventPart["offers"]): ReadonlyArray<EventPart> => [
  { slug: "", title: "", negRisk: false, offers },
]

const eventParts: Readonly<Record<SportName, ReadonlyArray<EventPart>>> = {
  basketball: whole(basketballOffers),
  football: whole(footballOffers),
  baseball: whole(baseballOffers),
  hockey: whole(hockeyOffers),
  tennis: whole(tennisOffers),
  counterStrike: whole(counterStrikeOffers),
  soccer: [
    { slug: "", title: "", negRisk: true, offers: soccerResult },
    { slug: "-more-markets", title: " - More Markets", negRisk: false, offers: soccerMore },
    { slug: "-exact-score", title: " - Exact Score", negRisk: true, offers: soccerExactScore },
    { slug: "-halftime-result", title: " - Halftime Result", negRisk: true, offers: soccerHalftime },
  ],
}

/** What the venue lists of a game: everything, or only its main events and lines. */
export type Coverage = "whole" | "main"

const mainEvents = 2
const mainMarkets = 6

/** The events of a game that are listed. */
export const partsOf = (sport: SportName, coverage: Coverage): ReadonlyArray<EventPart> =>
  coverage === "whole" ? eventParts[sport] : eventParts[sport].slice(0, mainEvents)

/** The events of a game, without their creation time. */
export const eventsOf = (contest: Contest, coverage: Coverage): ReadonlyArray<Omit<EventPlan, "createdAt">> => {
  const { league, game } = contest
  const most = coverage === "whole" ? undefined : mainMarkets
  const description = `In the ${league.name} game between ${game.away.name} and ${game.home.name}, scheduled for ${contest.date}, each market resolves by the official result. If the game is cancelled without a make-up date, markets resolve 50-50.`
  return partsOf(league.sport, coverage).map((part) => {
    const markets = part
      .offers(contest)
      .slice(0, most)
      .map((offer) => marketOf(contest, offer))
    return {
      slug: `${contest.slug}${part.slug}`,
      title: `${contest.title}${part.title}`,
      description,
      category: "sports",
      tags: tagged(...league.tags),
      series: leagueSeriesFor(league.code),
      game,
      startsAt: game.startsAt,
      endsAt: Math.max(...markets.map(({ endsAt }) => endsAt)),
      negRisk: part.negRisk,
      recurrence: undefined,
      markets,
    }
  })
}

/** All sports market types of the venue, including those not traded here. */
export const marketTypes: ReadonlyArray<string> = `
moneyline child_moneyline spreads totals team_totals first_half_moneyline first_half_spreads first_half_totals
second_half_totals nrfi points assists rebounds basketball_total_points basketball_odd_even
basketball_team_to_score_first anytime_touchdowns first_touchdowns rushing_yards receiving_yards goalscorers
exact_score halftime_result corners total_corners both_teams_to_score both_teams_to_score_first_half
both_teams_to_score_second_half soccer_anytime_goalscorer soccer_exact_score soccer_halftime_result
soccer_second_half_result soccer_first_to_score soccer_team_totals soccer_first_half_team_totals
soccer_second_half_team_totals soccer_team_total_corners soccer_first_corner soccer_first_half_total_corners
soccer_second_half_total_corners soccer_game_corners_odd_even soccer_player_goals soccer_player_assists
soccer_player_shots soccer_player_goals_plus_assists soccer_player_shots_on_target
soccer_player_goalkeeper_saves tennis_set_totals tennis_set_handicap tennis_match_totals
tennis_first_set_totals tennis_first_set_winner tennis_completed_match map_handicap round_handicap_match
kill_handicap_match tower_handicap_match drake_handicap_match inhibitor_handicap_match kill_most_2_way_match
tower_most_2_way_match drake_most_2_way_match nashor_most_2_way_match inhibitor_most_2_way_match
`
  .trim()
  .split(/\s+/)
