import { chanceAbove } from "../../chance.ts"
import type { Contest } from "../contest.ts"
import { opponent, type Period, type Score, type Side, tallyOf, totalDuration } from "../play/match.ts"
import { aliasOf, isAhead, lineSlug, linesAround, type Offer, overUnder, shareOfLine, yesNo } from "./offer.ts"

/** Both sports are best of three, so the probability of a set (or map) gives that of the match. */
const matchChance = (setChance: number): number => setChance * setChance * (3 - 2 * setChance)

const setChanceOf = ({ edge, league }: Contest): number => 0.5 + edge * (league.sport === "tennis" ? 0.12 : 0.1)

const winner = (contest: Contest): Offer => ({
  type: "moneyline",
  slug: "",
  question: contest.title,
  group: "Match Winner",
  outcomes: [aliasOf(contest, "home"), aliasOf(contest, "away")],
  chance: matchChance(setChanceOf(contest)),
  won: isAhead(contest.final, "home"),
  share: 1,
})

const periodEnd = ({ match, game }: Contest, i: number): number =>
  game.startsAt + totalDuration(match.periods.slice(0, i + 1))

/** The winner of a set or map; 50/50 if it is not played. */
const partWinner = (contest: Contest, i: number, type: string, slug: string, label: string): Offer => {
  const score: Score = contest.match.periods[i]?.tally ?? { home: 0, away: 0 }
  return {
    type,
    slug,
    question: `${contest.title}: ${label} Winner`,
    group: `${label} Winner`,
    outcomes: [aliasOf(contest, "home"), aliasOf(contest, "away")],
    chance: setChanceOf(contest),
    won: isAhead(score, "home"),
    share: 0.2,
    endsAt: periodEnd(contest, i),
  }
}

const handicap = (contest: Contest, side: Side, type: string, label: string): Offer => {
  const chance = setChanceOf(contest)
  const own = side === "home" ? chance : 1 - chance
  return {
    type,
    slug: `${label.toLowerCase()}-handicap-${side}-1pt5`,
    question: `${label} Handicap: ${aliasOf(contest, side)} (-1.5)`,
    group: `${label} Handicap ${aliasOf(contest, side)} -1.5`,
    outcomes: [aliasOf(contest, side), aliasOf(contest, opponent(side))],
    line: -1.5,
    chance: own * own,
    won: contest.final[side] - contest.final[opponent(side)] > 1.5,
    share: 0.1,
  }
}

const partsPlayed = (contest: Contest, type: string, label: string): Offer => {
  const chance = setChanceOf(contest)
  return {
    type,
    slug: `total-${label.toLowerCase()}s-2pt5`,
    question: `${contest.title}: Total ${label}s O/U 2.5`,
    group: `${label}s O/U 2.5`,
    outcomes: overUnder,
    line: 2.5,
    chance: 2 * chance * (1 - chance),
    won: contest.match.periods.length > 2.5,
    share: 0.1,
  }
}

const tallyTotals = (
  contest: Contest,
  periods: ReadonlyArray<Period>,
  kind: { type: string; slug: string; label: string; mean: number; sigma: number; count: number },
): ReadonlyArray<Offer> => {
  const { home, away } = tallyOf(periods)
  return linesAround(kind.mean, 1, kind.count).map((line, i) => ({
    type: kind.type,
    slug: `${kind.slug}-${lineSlug(line)}`,
    question: `${contest.title}: ${kind.label} O/U ${line}`,
    group: `${kind.label} O/U ${line}`,
    outcomes: overUnder,
    line,
    chance: chanceAbove(line, kind.mean, kind.sigma),
    won: home + away > line,
    share: shareOfLine(0.08, i, kind.count),
    endsAt: periodEnd(contest, periods.length - 1),
  }))
}

export const tennisOffers = (contest: Contest): ReadonlyArray<Offer> => {
  const { periods } = contest.match
  return [
    winner(contest),
    partWinner(contest, 0, "tennis_first_set_winner", "first-set-winner", "Set 1"),
    handicap(contest, "home", "tennis_set_handicap", "Set"),
    handicap(contest, "away", "tennis_set_handicap", "Set"),
    partsPlayed(contest, "tennis_set_totals", "Set"),
    ...tallyTotals(contest, periods, {
      type: "tennis_match_totals",
      slug: "match-total",
      label: "Match Games",
      mean: contest.expectedTotal,
      sigma: contest.sport.total.sigma,
      count: 5,
    }),
    ...tallyTotals(contest, periods.slice(0, 1), {
      type: "tennis_first_set_totals",
      slug: "first-set-total",
      label: "Set 1 Games",
      mean: 9.5,
      sigma: 1.8,
      count: 3,
    }),
    {
      type: "tennis_completed_match",
      slug: "completed-match",
      question: `${contest.title}: Will the match be completed?`,
      group: "Completed Match",
      outcomes: yesNo,
      chance: 0.97,
      won: true,
      share: 0.02,
    },
  ]
}

export const counterStrikeOffers = (contest: Contest): ReadonlyArray<Offer> => {
  const { home, away } = tallyOf(contest.match.periods)
  const favourite: Side = contest.edge > 0 ? "home" : "away"
  const margin = favourite === "home" ? home - away : away - home
  const line = -(Math.floor(Math.abs(contest.edge) * contest.sport.margin.perEdge) + 0.5)
  return [
    winner(contest),
    ...[0, 1, 2].map((i) => partWinner(contest, i, "child_moneyline", `game${i + 1}`, `Map ${i + 1}`)),
    handicap(contest, "home", "map_handicap", "Map"),
    handicap(contest, "away", "map_handicap", "Map"),
    partsPlayed(contest, "totals", "Map"),
    {
      type: "round_handicap_match",
      slug: `round-handicap-${favourite}-${lineSlug(line)}`,
      question: `Round Handicap: ${aliasOf(contest, favourite)} (${line})`,
      group: `Round Handicap ${line}`,
      outcomes: [aliasOf(contest, favourite), aliasOf(contest, opponent(favourite))],
      line,
      chance: 0.5,
      won: margin + line > 0,
      share: 0.05,
    },
  ]
}
