import type { Dice } from "../../../../random.ts"
import { ordinal } from "../../text.ts"
import { type Match, type Play, type Side, type Stretch, scoreOf } from "./match.ts"

/** Runs of half an inning, by how often they are scored. */
const runsOf = (dice: Dice, none: number): number => {
  const roll = dice.unit()
  if (roll < none) return 0
  const rest = (roll - none) / (1 - none)
  return rest < 0.5 ? 1 : rest < 0.79 ? 2 : rest < 0.93 ? 3 : 4
}

const halfInning = (dice: Dice, edge: number, side: Side, inning: number): Stretch => {
  const runs = runsOf(dice, 0.72 - (side === "home" ? edge : -edge) * 0.03)
  const plays: ReadonlyArray<Play> = Array.from({ length: runs }, () => ({ side, points: 1 }))
  const label = `${side === "away" ? "Top" : "Bot"} ${ordinal(inning)}`
  return {
    label,
    clock: undefined,
    lasts: 420 + runs * 120 + dice.between(0, 240),
    plays,
    ending: "clock",
    tally: undefined,
  }
}

/** Innings until one side is ahead after nine or more; the home side does not bat when it has already won. */
export const baseball = (dice: Dice, edge: number): Match => {
  const stretches: Array<Stretch> = []
  for (let inning = 1; ; inning++) {
    stretches.push(halfInning(dice, edge, "away", inning))
    const afterTop = scoreOf(stretches)
    if (inning >= 9 && afterTop.home > afterTop.away) break
    stretches.push(halfInning(dice, edge, "home", inning))
    const { home, away } = scoreOf(stretches)
    if (inning >= 9 && home !== away) break
  }
  return { stretches, half: 0 }
}
