import type { Millis } from "../../../model.ts"
import { chanceAbove } from "../../chance.ts"
import type { Contest } from "../contest.ts"
import { opponent, type Score, type Side } from "../play/match.ts"
import { aliasOf, isAhead, lineSlug, linesAround, type Offer, overUnder, shareOfLine } from "./offer.ts"

/** The part of the game that a line covers, with its expected result. */
export interface Scope {
  readonly score: Score
  readonly margin: { readonly mean: number; readonly sigma: number }
  readonly total: { readonly mean: number; readonly sigma: number }
  /** Prefix of market types, slugs and questions; empty for the whole game. */
  readonly type: string
  readonly slug: string
  readonly label: string
  readonly share: number
  readonly endsAt: Millis
}

export const wholeGame = ({ sport, edge, expectedTotal, final, game }: Contest): Scope => ({
  score: final,
  margin: { mean: edge * sport.margin.perEdge, sigma: sport.margin.sigma },
  total: { mean: expectedTotal, sigma: sport.total.sigma },
  type: "",
  slug: "",
  label: "",
  share: 1,
  endsAt: game.endsAt,
})

export const firstHalf = (contest: Contest): Scope => {
  const whole = wholeGame(contest)
  return {
    score: contest.firstHalf,
    margin: { mean: whole.margin.mean / 2, sigma: whole.margin.sigma * 0.7 },
    total: { mean: whole.total.mean / 2, sigma: whole.total.sigma * 0.7 },
    type: "first_half_",
    slug: "1h-",
    label: "1H ",
    share: 0.15,
    endsAt: contest.halfEndsAt,
  }
}

/** The first outcome is the side named first. */
export const moneyline = (contest: Contest, scope: Scope): Offer => {
  const first: Side = contest.league.ordering
  const homeChance = chanceAbove(0, scope.margin.mean, scope.margin.sigma)
  return {
    type: `${scope.type}moneyline`,
    slug: scope.slug === "" ? "" : `${scope.slug}moneyline`,
    question: scope.label === "" ? contest.title : `${contest.title}: ${scope.label}Moneyline`,
    group: `${scope.label}Moneyline`,
    outcomes: [aliasOf(contest, first), aliasOf(contest, opponent(first))],
    chance: first === "home" ? homeChance : 1 - homeChance,
    won: isAhead(scope.score, first),
    share: scope.share,
    endsAt: scope.endsAt,
  }
}

export const spreads = (contest: Contest, scope: Scope, step: number, count: number): ReadonlyArray<Offer> =>
  linesAround(scope.margin.mean, step, count).map((needed, i) => {
    const side: Side = needed > 0 ? "home" : "away"
    const line = -Math.abs(needed)
    const homeMargin = scope.score.home - scope.score.away
    const homeChance = chanceAbove(needed, scope.margin.mean, scope.margin.sigma)
    return {
      type: `${scope.type}spreads`,
      slug: `${scope.slug}spread-${side}-${lineSlug(line)}`,
      question: `${scope.label}Spread: ${aliasOf(contest, side)} (${line})`,
      group: `${scope.label}Spread ${line}`,
      outcomes: [aliasOf(contest, side), aliasOf(contest, opponent(side))],
      line,
      chance: side === "home" ? homeChance : 1 - homeChance,
      won: (side === "home" ? homeMargin : -homeMargin) + line > 0,
      share: shareOfLine(0.4 * scope.share, i, count),
      endsAt: scope.endsAt,
    }
  })

export const totals = (contest: Contest, scope: Scope, step: number, count: number): ReadonlyArray<Offer> =>
  linesAround(scope.total.mean, step, count)
    .filter((line) => line > 0)
    .map((line, i) => ({
      type: `${scope.type}totals`,
      slug: `${scope.slug}total-${lineSlug(line)}`,
      question: `${contest.title}: ${scope.label}O/U ${line}`,
      group: `${scope.label}O/U ${line}`,
      outcomes: overUnder,
      line,
      chance: chanceAbove(line, scope.total.mean, scope.total.sigma),
      won: scope.score.home + scope.score.away > line,
      share: shareOfLine(0.4 * scope.share, i, count),
      endsAt: scope.endsAt,
    }))

const sides = ["home", "away"] as const

export const teamTotals = (
  contest: Contest,
  scope: Scope,
  step: number,
  count: number,
  type = "team_totals",
): ReadonlyArray<Offer> =>
  sides.flatMap((side) => {
    const mean = (scope.total.mean + (side === "home" ? scope.margin.mean : -scope.margin.mean)) / 2
    return linesAround(mean, step, count)
      .filter((line) => line > 0)
      .map((line, i) => ({
        type,
        slug: `${scope.slug}team-total-${side}-${lineSlug(line)}`,
        question: `${aliasOf(contest, side)} ${scope.label}Team Total: O/U ${line}`,
        group: `${aliasOf(contest, side)} O/U ${line}`,
        outcomes: overUnder,
        line,
        chance: chanceAbove(line, mean, scope.total.sigma * 0.7),
        won: scope.score[side] > line,
        share: shareOfLine(0.06 * scope.share, i, count),
        endsAt: scope.endsAt,
      }))
  })

/** Points after halftime, overtime included. */
export const secondHalfTotal = (contest: Contest): Offer => {
  const { mean, sigma } = firstHalf(contest).total
  const line = Math.floor(mean) + 0.5
  const { final, firstHalf: first, title } = contest
  return {
    type: "second_half_totals",
    slug: `2h-total-${lineSlug(line)}`,
    question: `${title}: 2H O/U ${line}`,
    group: `2H O/U ${line}`,
    outcomes: overUnder,
    line,
    chance: chanceAbove(line, mean, sigma),
    won: final.home + final.away - first.home - first.away > line,
    share: 0.03,
  }
}
