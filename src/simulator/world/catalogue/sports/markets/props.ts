import { chanceAbove } from "../../chance.ts"
import { kebab } from "../../text.ts"
import type { Contest } from "../contest.ts"
import type { Side } from "../play/match.ts"
import type { Player } from "../teams.ts"
import { lineSlug, type Offer, overUnder, yesNo } from "./offer.ts"

const sides = ["home", "away"] as const

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Over/under markets for a statistic of both teams' first players; `means` are by player rank. */
export const playerLines = (
  contest: Contest,
  type: string,
  label: string,
  means: ReadonlyArray<number>,
): ReadonlyArray<Offer> =>
  sides.flatMap((side) =>
    contest.players[side].flatMap(({ name, slug }, i): ReadonlyArray<Offer> => {
      const mean = means[i]
      if (mean === undefined) return []
      const line = Math.floor(mean) + 0.5
      const reached = Math.round(mean * (0.4 + 0.6 * (contest.dice.unit() + contest.dice.unit())))
      return [
        {
          type,
          slug: `${kebab(label)}-${contest.game[side].abbreviation}-${slug}-${lineSlug(line)}`,
          question: `${name}: ${capitalised(label)} O/U ${line}`,
          group: `${name}: ${capitalised(label)} ${line}`,
          outcomes: overUnder,
          line,
          chance: chanceAbove(line, mean, mean * 0.35),
          won: reached > line,
          share: 0.02,
        },
      ]
    }),
  )

/** Scoring shares of a team's first players; the rest of the team has the remainder. */
const scorerShares = [0.22, 0.17, 0.13, 0.1, 0.08]

export interface Scorer {
  readonly side: Side
  /** Undefined for any other player. */
  readonly player: number | undefined
}

/** The scorer of every play that `counts` accepts. */
export const scorersOf = (
  contest: Contest,
  counts: (points: number, period: string) => boolean,
): ReadonlyArray<Scorer> =>
  contest.match.periods.flatMap(({ label, plays }) =>
    plays
      .filter(({ points }) => counts(points, label))
      .map(({ side }) => {
        let left = contest.dice.unit()
        const player = scorerShares.findIndex((share) => {
          left -= share
          return left < 0
        })
        return { side, player: player === -1 ? undefined : player }
      }),
  )

/** Markets on whether a player scores at all, or first; consistent with the plays of the game. */
export const scorerOffers = (
  contest: Contest,
  scorers: ReadonlyArray<Scorer>,
  kind: {
    readonly type: string
    readonly slug: string
    readonly label: string
    readonly perTeam: number
    readonly players: number
  },
): ReadonlyArray<Offer> =>
  sides.flatMap((side) =>
    scorerShares.slice(0, kind.players).map((share, i) => {
      const { name, slug } = contest.players[side][i] as Player
      // Approximate probability that at least one of the expected scores is this player's.
      const expected = share * kind.perTeam
      return {
        type: kind.type,
        slug: `${kind.slug}-${contest.game[side].abbreviation}-${slug}`,
        question: `${name}: ${kind.label}`,
        group: name,
        outcomes: yesNo,
        chance: expected / (1 + expected * 0.6),
        won: scorers.some((scorer) => scorer.side === side && scorer.player === i),
        share: 0.02,
      }
    }),
  )
