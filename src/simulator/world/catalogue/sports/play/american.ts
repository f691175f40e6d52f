import type { Dice } from "../../../../random.ts"
import { ordinal } from "../../text.ts"
import { type Match, type Period, type Play, type Side, scoreOf } from "./match.ts"

const basketballPeriod = (dice: Dice, edge: number, label: string, possessions: number, length: number): Period => {
  const plays: Array<Play> = []
  const first = dice.below(2)
  for (let i = 0; i < possessions; i++) {
    const side = (i + first) % 2 === 0 ? "home" : "away"
    if (!dice.chance(0.5 + (side === "home" ? edge : -edge) * 0.015)) continue
    const roll = dice.unit()
    plays.push({ side, points: roll < 0.7 ? 2 : roll < 0.97 ? 3 : 1 })
  }
  return {
    label,
    clock: [0, length],
    seconds: length * 2 + dice.between(240, 660),
    plays,
    ending: "clock",
    tally: undefined,
  }
}

const basketballHalftime: Period = {
  label: "HT",
  clock: undefined,
  seconds: 900,
  plays: [],
  ending: "clock",
  tally: undefined,
}

export const basketball = (dice: Dice, edge: number): Match => {
  const quarter = (n: number) => basketballPeriod(dice, edge, `Q${n}`, 49, 720)
  const periods = [quarter(1), quarter(2), basketballHalftime, quarter(3), quarter(4)]
  while (isTied(periods)) periods.push(basketballPeriod(dice, edge, "OT", 20, 300))
  return { periods, firstHalfPeriods: 2 }
}

const isTied = (periods: ReadonlyArray<Period>) => {
  const { home, away } = scoreOf(periods)
  return home === away
}

const drive = (dice: Dice, edge: number, side: Side): Play | undefined => {
  const roll = dice.unit()
  const touchdown = 0.22 + (side === "home" ? edge : -edge) * 0.025
  if (roll < touchdown) return { side, points: roll < touchdown * 0.9 ? 7 : dice.chance(0.5) ? 6 : 8 }
  return roll < touchdown + 0.17 ? { side, points: 3 } : undefined
}

const footballPeriod = (dice: Dice, label: string, length: number, plays: ReadonlyArray<Play>): Period => ({
  label,
  clock: [0, length],
  seconds: Math.floor(length * 2.4) + dice.between(0, 480),
  plays,
  ending: "clock",
  tally: undefined,
})

const footballQuarter = (dice: Dice, edge: number, n: number): Period => {
  const first = dice.below(2)
  const drives = Array.from({ length: 6 }, (_, i) => drive(dice, edge, (i + first) % 2 === 0 ? "home" : "away"))
  return footballPeriod(
    dice,
    `Q${n}`,
    900,
    drives.filter((play) => play !== undefined),
  )
}

/** Ends with the first score; the real league's rare ties are omitted. */
const footballOvertime = (dice: Dice, edge: number): Period => {
  for (let i = dice.below(2); ; i++) {
    const play = drive(dice, edge, i % 2 === 0 ? "home" : "away")
    if (play === undefined) continue
    const points = play.points === 3 ? 3 : 6
    return { ...footballPeriod(dice, "OT", dice.between(120, 600), [{ ...play, points }]), ending: "play" }
  }
}

const footballHalftime: Period = {
  label: "HT",
  clock: undefined,
  seconds: 780,
  plays: [],
  ending: "clock",
  tally: undefined,
}

export const football = (dice: Dice, edge: number): Match => {
  const periods = [
    footballQuarter(dice, edge, 1),
    footballQuarter(dice, edge, 2),
    footballHalftime,
    footballQuarter(dice, edge, 3),
    footballQuarter(dice, edge, 4),
  ]
  const { home, away } = scoreOf(periods)
  return { periods: home === away ? [...periods, footballOvertime(dice, edge)] : periods, firstHalfPeriods: 2 }
}

/** Random runs of a half inning; `none` is the probability of 0. */
const runsOf = (dice: Dice, none: number): number => {
  const roll = dice.unit()
  if (roll < none) return 0
  const rest = (roll - none) / (1 - none)
  return rest < 0.5 ? 1 : rest < 0.79 ? 2 : rest < 0.93 ? 3 : 4
}

const halfInning = (dice: Dice, edge: number, side: Side, inning: number): Period => {
  const runs = runsOf(dice, 0.72 - (side === "home" ? edge : -edge) * 0.03)
  const plays: ReadonlyArray<Play> = Array.from({ length: runs }, () => ({ side, points: 1 }))
  const label = `${side === "away" ? "Top" : "Bot"} ${ordinal(inning)}`
  return {
    label,
    clock: undefined,
    seconds: 420 + runs * 120 + dice.between(0, 240),
    plays,
    ending: "clock",
    tally: undefined,
  }
}

/** Innings until one side leads after nine or more; a winning home side does not bat in the last one. */
export const baseball = (dice: Dice, edge: number): Match => {
  const periods: Array<Period> = []
  for (let inning = 1; ; inning++) {
    periods.push(halfInning(dice, edge, "away", inning))
    const afterTop = scoreOf(periods)
    if (inning >= 9 && afterTop.home > afterTop.away) break
    periods.push(halfInning(dice, edge, "home", inning))
    const { home, away } = scoreOf(periods)
    if (inning >= 9 && home !== away) break
  }
  return { periods, firstHalfPeriods: 0 }
}
