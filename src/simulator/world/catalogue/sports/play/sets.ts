import type { Dice } from "../../../../random.ts"
import { type Match, opponent, type Period, type Score, type Side, scoreOf } from "./match.ts"

const setsToWin = 2

/** Best of three: the first side to win two sets or maps. */
const bestOfThree = (
  dice: Dice,
  homeChance: number,
  makePeriod: (n: number, winner: Side) => Omit<Period, "plays" | "clock" | "ending">,
): Match => {
  const periods: Array<Period> = []
  for (let n = 1; ; n++) {
    const winner: Side = dice.chance(homeChance) ? "home" : "away"
    periods.push({ ...makePeriod(n, winner), clock: undefined, ending: "play", plays: [{ side: winner, points: 1 }] })
    const { home, away } = scoreOf(periods)
    if (home === setsToWin || away === setsToWin) return { periods, firstHalfPeriods: 0 }
  }
}

const tally = (winner: Side, won: number, lost: number): Score => {
  const score = { home: 0, away: 0 }
  score[winner] = won
  score[opponent(winner)] = lost
  return score
}

const setScores: ReadonlyArray<readonly [number, number]> = [
  [6, 0],
  [6, 1],
  [6, 2],
  [6, 2],
  [6, 3],
  [6, 3],
  [6, 3],
  [6, 4],
  [6, 4],
  [6, 4],
  [7, 5],
  [7, 5],
  [7, 6],
  [7, 6],
]

export const tennis = (dice: Dice, edge: number): Match =>
  bestOfThree(dice, 0.5 + edge * 0.12, (n, winner) => {
    const [won, lost] = dice.pick(setScores)
    return { label: `S${n}`, seconds: (won + lost) * dice.between(210, 290), tally: tally(winner, won, lost) }
  })

export const counterStrike = (dice: Dice, edge: number): Match =>
  bestOfThree(dice, 0.5 + edge * 0.1, (n, winner) => {
    const overtime = dice.chance(0.1)
    const [won, lost] = overtime ? [16, dice.between(12, 14)] : [13, dice.between(2, 11)]
    return { label: `${n}/3`, seconds: (won + lost) * 100 + 600, tally: tally(winner, won, lost) }
  })
