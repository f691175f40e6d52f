import type { MarketPlan, Millis } from "../../../model.ts"
import { perMille, roundedWeight, sportsFees, tickFor } from "../../chance.ts"
import type { Contest } from "../contest.ts"
import type { Score, Side } from "../play/match.ts"

/** A market of a game, without the game's times and fees. */
export interface Offer {
  readonly type: string
  /** Appended to the game's slug. */
  readonly slug: string
  readonly question: string
  readonly group: string
  readonly outcomes: readonly [string, string]
  readonly line?: number
  /** Probability of the first outcome, 0 to 1. */
  readonly chance: number
  readonly won: boolean | "half"
  /** Trading activity relative to the game's winner market. */
  readonly share: number
  /** Set if it ends before the game. */
  readonly endsAt?: Millis
}

export const yesNo = ["Yes", "No"] as const
export const overUnder = ["Over", "Under"] as const

export const marketOf = (contest: Contest, offer: Offer): MarketPlan => {
  const endsAt = offer.endsAt ?? contest.game.endsAt
  const startPrice = perMille(offer.chance)
  return {
    slug: offer.slug === "" ? contest.slug : `${contest.slug}-${offer.slug}`,
    question: offer.question,
    outcomes: offer.outcomes,
    groupItemTitle: offer.group,
    rule: { kind: "fate", winner: offer.won === "half" ? "half" : offer.won ? 0 : 1 },
    endsAt,
    resolvesAt: endsAt + contest.reportDelay,
    weight: roundedWeight(6 * contest.weight * offer.share),
    startPrice,
    fees: sportsFees,
    sportsMarketType: offer.type,
    line: offer.line,
    tickSize: tickFor(startPrice),
  }
}

export const aliasOf = ({ game }: Contest, side: Side): string => game[side].alias

/** All lines lie between whole numbers, so that no result equals a line. */
export const lineSlug = (line: number): string => `${Math.floor(Math.abs(line))}pt5`

/** Whether a side leads; 50/50 on a tie. */
export const isAhead = (score: Score, side: Side): boolean | "half" => {
  if (score.home === score.away) return "half"
  return side === "home" ? score.home > score.away : score.away > score.home
}

/** `count` lines between whole numbers around a middle, `step` apart. */
export const linesAround = (middle: number, step: number, count: number): ReadonlyArray<number> => {
  const centre = Math.floor(middle) + 0.5
  return Array.from({ length: count }, (_, i) => centre + (i - Math.floor(count / 2)) * step)
}

/** The line in the middle is traded most. */
export const shareOfLine = (share: number, i: number, count: number): number =>
  share / (1 + 2 * Math.abs(i - Math.floor(count / 2)))
