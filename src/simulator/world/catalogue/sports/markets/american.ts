import type { Contest } from "../contest.ts"
import { firstHalf, moneyline, secondHalfTotal, spreads, teamTotals, totals, wholeGame } from "./lines.ts"
import { aliasOf, type Offer, yesNo } from "./offer.ts"
import { playerLines, scorerOffers, scorersOf } from "./props.ts"

const firstToScore = (contest: Contest): Offer => ({
  type: "basketball_team_to_score_first",
  slug: "first-to-score",
  question: `${contest.title}: Team to Score First`,
  group: "First to Score",
  outcomes: [aliasOf(contest, "home"), aliasOf(contest, "away")],
  chance: 0.5,
  won: contest.match.periods.flatMap(({ plays }) => plays)[0]?.side === "home",
  share: 0.02,
})

const oddEven = (contest: Contest): Offer => ({
  type: "basketball_odd_even",
  slug: "odd-even",
  question: `${contest.title}: Total Points Odd or Even`,
  group: "Odd/Even",
  outcomes: ["Odd", "Even"],
  chance: 0.5,
  won: (contest.final.home + contest.final.away) % 2 === 1,
  share: 0.01,
})

export const basketballOffers = (contest: Contest): ReadonlyArray<Offer> => {
  const whole = wholeGame(contest)
  const half = firstHalf(contest)
  return [
    moneyline(contest, whole),
    ...spreads(contest, whole, 1, 7),
    ...totals(contest, whole, 2, 7),
    ...teamTotals(contest, whole, 2, 3),
    moneyline(contest, half),
    ...spreads(contest, half, 1, 3),
    ...totals(contest, half, 2, 3),
    secondHalfTotal(contest),
    firstToScore(contest),
    oddEven(contest),
    ...playerLines(contest, "points", "points", [27, 21, 17, 13, 11]),
    ...playerLines(contest, "rebounds", "rebounds", [9, 7]),
    ...playerLines(contest, "assists", "assists", [7, 5]),
  ]
}

export const footballOffers = (contest: Contest): ReadonlyArray<Offer> => {
  const whole = wholeGame(contest)
  const half = firstHalf(contest)
  const touchdowns = scorersOf(contest, (points) => points >= 6)
  return [
    moneyline(contest, whole),
    ...spreads(contest, whole, 1, 7),
    ...totals(contest, whole, 1, 7),
    ...teamTotals(contest, whole, 1, 3),
    moneyline(contest, half),
    ...spreads(contest, half, 1, 3),
    ...totals(contest, half, 1, 3),
    secondHalfTotal(contest),
    ...scorerOffers(contest, touchdowns, {
      type: "anytime_touchdowns",
      slug: "anytime-touchdown",
      label: "Anytime Touchdown",
      perTeam: 2.6,
      players: 5,
    }),
    ...scorerOffers(contest, touchdowns.slice(0, 1), {
      type: "first_touchdowns",
      slug: "first-touchdown",
      label: "First Touchdown",
      perTeam: 0.5,
      players: 3,
    }),
    ...playerLines(contest, "rushing_yards", "rushing yards", [72, 38]),
    ...playerLines(contest, "receiving_yards", "receiving yards", [81, 64, 42]),
  ]
}

export const hockeyOffers = (contest: Contest): ReadonlyArray<Offer> => {
  const whole = wholeGame(contest)
  const goals = scorersOf(contest, (_, period) => period !== "PEN")
  return [
    moneyline(contest, whole),
    ...spreads(contest, whole, 1, 4),
    ...totals(contest, whole, 1, 5),
    ...teamTotals(contest, whole, 1, 3),
    ...scorerOffers(contest, goals, {
      type: "goalscorers",
      slug: "anytime-goal",
      label: "Anytime Goalscorer",
      perTeam: 3,
      players: 5,
    }),
  ]
}

const noRunFirstInning = (contest: Contest): Offer => ({
  type: "nrfi",
  slug: "nrfi",
  question: `${contest.title}: Will there be no run in the first inning?`,
  group: "NRFI",
  outcomes: yesNo,
  chance: 0.52,
  won: contest.match.periods.slice(0, 2).every(({ plays }) => plays.length === 0),
  share: 0.1,
})

export const baseballOffers = (contest: Contest): ReadonlyArray<Offer> => {
  const whole = wholeGame(contest)
  return [
    moneyline(contest, whole),
    ...spreads(contest, whole, 1, 6),
    ...totals(contest, whole, 1, 7),
    ...teamTotals(contest, whole, 1, 3),
    noRunFirstInning(contest),
  ]
}
