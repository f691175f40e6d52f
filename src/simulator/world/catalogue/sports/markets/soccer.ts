import { chanceAbove, perMilleShares } from "../../chance.ts"
import type { Contest } from "../contest.ts"
import type { Score } from "../play/match.ts"
import { firstHalf, type Scope, secondHalfTotal, spreads, teamTotals, totals, wholeGame } from "./lines.ts"
import { aliasOf, lineSlug, type Offer, overUnder, yesNo } from "./offer.ts"
import { scorerOffers, scorersOf } from "./props.ts"

/** Home, draw and away as three exclusive markets. */
const threeWay = (contest: Contest, scope: Scope, type: string, questions: readonly [string, string, string]) => {
  const { mean, sigma } = scope.margin
  const home = chanceAbove(0.5, mean, sigma)
  const away = chanceAbove(0.5, -mean, sigma)
  const shares = perMilleShares([home, 1 - home - away, away])
  const result = scope.score.home - scope.score.away
  const { game } = contest
  const slugs = [game.home.abbreviation, "draw", game.away.abbreviation]
  const groups = [aliasOf(contest, "home"), "Draw", aliasOf(contest, "away")]
  const won = [result > 0, result === 0, result < 0]
  return questions.map((question, i): Offer => {
    return {
      type,
      slug: `${scope.slug}${slugs[i]}`,
      question,
      group: groups[i] as string,
      outcomes: yesNo,
      chance: (shares[i] as number) / 1000,
      won: won[i] as boolean,
      share: scope.share * (i === 1 ? 0.4 : 0.7),
      endsAt: scope.endsAt,
    }
  })
}

export const soccerResult = (contest: Contest): ReadonlyArray<Offer> => {
  const { home, away } = contest.game
  return threeWay(contest, wholeGame(contest), "moneyline", [
    `Will ${home.name} win on ${contest.date}?`,
    `Will ${home.name} vs. ${away.name} end in a draw?`,
    `Will ${away.name} win on ${contest.date}?`,
  ])
}

export const soccerHalftime = (contest: Contest): ReadonlyArray<Offer> =>
  threeWay(contest, firstHalf(contest), "soccer_halftime_result", [
    `${contest.title}: Will ${aliasOf(contest, "home")} lead at halftime?`,
    `${contest.title}: Will it be a draw at halftime?`,
    `${contest.title}: Will ${aliasOf(contest, "away")} lead at halftime?`,
  ])

/** Proportional to the Poisson probability of `goals` with this mean. */
const goalWeight = (mean: number, goals: number): number => {
  let weight = 1
  for (let i = 1; i <= goals; i++) weight = (weight * mean) / i
  return weight
}

export const soccerExactScore = (contest: Contest): ReadonlyArray<Offer> => {
  const { total, margin } = wholeGame(contest)
  const { final } = contest
  const cells = Array.from({ length: 9 }, (_, i): Score => ({ home: Math.floor(i / 3), away: i % 3 }))
  const weights = cells.map(
    ({ home, away }) =>
      goalWeight(Math.max(0.4, (total.mean + margin.mean) / 2), home) *
      goalWeight(Math.max(0.4, (total.mean - margin.mean) / 2), away),
  )
  const shares = perMilleShares([...weights, weights.reduce((sum, weight) => sum + weight, 0) * 0.35])
  const offer = (i: number, slug: string, label: string, won: boolean): Offer => ({
    type: "soccer_exact_score",
    slug: `exact-score-${slug}`,
    question: `Exact Score: ${label}?`,
    group: label,
    outcomes: yesNo,
    chance: (shares[i] as number) / 1000,
    won,
    share: 0.03,
  })
  const exact = cells.map((cell, i) => {
    const label = `${aliasOf(contest, "home")} ${cell.home} - ${cell.away} ${aliasOf(contest, "away")}`
    return offer(i, `${cell.home}-${cell.away}`, label, final.home === cell.home && final.away === cell.away)
  })
  return [...exact, offer(cells.length, "any-other", "Any Other Score", final.home > 2 || final.away > 2)]
}

const bothScore = (contest: Contest): ReadonlyArray<Offer> => {
  const { final, firstHalf: first } = contest
  const second = { home: final.home - first.home, away: final.away - first.away }
  const offer = (end: string, label: string, score: Score, chance: number, endsAt = contest.game.endsAt): Offer => ({
    type: `both_teams_to_score${end}`,
    slug: `btts${end.replaceAll("_", "-")}`,
    question: `${contest.title}: Both Teams to Score${label}`,
    group: `Both Teams to Score${label}`,
    outcomes: yesNo,
    chance,
    won: score.home > 0 && score.away > 0,
    share: end === "" ? 0.15 : 0.02,
    endsAt,
  })
  return [
    offer("", "", final, 0.55),
    offer("_first_half", " in First Half", first, 0.24, contest.halfEndsAt),
    offer("_second_half", " in Second Half", second, 0.25),
  ]
}

const firstToScore = (contest: Contest): ReadonlyArray<Offer> => {
  const first = contest.match.periods.flatMap(({ plays }) => plays)[0]?.side
  const offer = (slug: string, group: string, chance: number, won: boolean): Offer => ({
    type: "soccer_first_to_score",
    slug: `first-to-score-${slug}`,
    question: `${contest.title}: First to Score - ${group}`,
    group,
    outcomes: yesNo,
    chance,
    won,
    share: 0.02,
  })
  const home = 0.46 + contest.edge * 0.09
  return [
    offer("home", aliasOf(contest, "home"), home, first === "home"),
    offer("away", aliasOf(contest, "away"), 0.92 - home, first === "away"),
    offer("neither", "Neither", 0.08, first === undefined),
  ]
}

const corners = (contest: Contest): ReadonlyArray<Offer> => {
  const taken = 4 + contest.dice.below(7) + contest.dice.below(7)
  const lines = [8.5, 9.5, 10.5].map(
    (line): Offer => ({
      type: "total_corners",
      slug: `corners-${lineSlug(line)}`,
      question: `${contest.title}: Total Corners O/U ${line}`,
      group: `Corners O/U ${line}`,
      outcomes: overUnder,
      line,
      chance: chanceAbove(line, 10, 2.8),
      won: taken > line,
      share: 0.03,
    }),
  )
  const oddEven: Offer = {
    type: "soccer_game_corners_odd_even",
    slug: "corners-odd-even",
    question: `${contest.title}: Total Corners Odd or Even`,
    group: "Corners Odd/Even",
    outcomes: ["Odd", "Even"],
    chance: 0.5,
    won: taken % 2 === 1,
    share: 0.005,
  }
  return [...lines, oddEven]
}

export const soccerMore = (contest: Contest): ReadonlyArray<Offer> => {
  const whole = wholeGame(contest)
  return [
    ...spreads(contest, whole, 1, 4),
    ...totals(contest, whole, 1, 5),
    ...bothScore(contest),
    ...teamTotals(contest, whole, 1, 3, "soccer_team_totals"),
    ...totals(contest, firstHalf(contest), 1, 3),
    secondHalfTotal(contest),
    ...firstToScore(contest),
    ...corners(contest),
    ...scorerOffers(
      contest,
      scorersOf(contest, () => true),
      {
        type: "soccer_anytime_goalscorer",
        slug: "anytime-goal",
        label: "Anytime Goalscorer",
        perTeam: 1.35,
        players: 3,
      },
    ),
  ]
}
