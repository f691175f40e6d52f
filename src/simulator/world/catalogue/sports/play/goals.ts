import type { Dice } from "../../../../random.ts"
import { type Match, type Period, type Play, type Side, scoreOf } from "./match.ts"

/** The goals of a period with `tries` attempts per side. */
const goals = (dice: Dice, tries: number, homeChance: number, awayChance: number): ReadonlyArray<Play> => {
  const plays: Array<Play> = []
  for (let i = 0; i < tries; i++) {
    if (dice.chance(homeChance)) plays.push({ side: "home", points: 1 })
    if (dice.chance(awayChance)) plays.push({ side: "away", points: 1 })
  }
  return plays
}

const halftime: Period = { label: "HT", clock: undefined, seconds: 900, plays: [], ending: "clock", tally: undefined }

export const soccer = (dice: Dice, edge: number): Match => {
  const half = (label: string, from: number): Period => {
    const added = dice.between(60, 360)
    const plays = goals(dice, 9, 0.075 + edge * 0.015, 0.075 - edge * 0.015)
    return { label, clock: [from, 2700 + added], seconds: 2700 + added, plays, ending: "clock", tally: undefined }
  }
  return { periods: [half("1H", 0), halftime, half("2H", 2700)], firstHalfPeriods: 1 }
}

export const hockey = (dice: Dice, edge: number): Match => {
  const period = (n: number): Period => {
    const plays = goals(dice, 10, 0.1 + edge * 0.01, 0.1 - edge * 0.01)
    return {
      label: `P${n}`,
      clock: [0, 1200],
      seconds: 2400 + dice.between(0, 600),
      plays,
      ending: "clock",
      tally: undefined,
    }
  }
  const periods = [period(1), period(2), period(3)]
  const { home, away } = scoreOf(periods)
  if (home !== away) return { periods, firstHalfPeriods: 0 }
  const winner: Side = dice.chance(0.5 + edge * 0.05) ? "home" : "away"
  const decided: ReadonlyArray<Play> = [{ side: winner, points: 1 }]
  const seconds = dice.between(30, 300)
  const inOvertime = dice.chance(0.6)
  const overtime: Period = {
    label: "OT",
    clock: [0, inOvertime ? seconds : 300],
    seconds: 360 + seconds,
    plays: inOvertime ? decided : [],
    ending: inOvertime ? "play" : "clock",
    tally: undefined,
  }
  const shootOut: Period = {
    label: "PEN",
    clock: undefined,
    seconds: 420,
    plays: decided,
    ending: "play",
    tally: undefined,
  }
  return { periods: [...periods, overtime, ...(inOvertime ? [] : [shootOut])], firstHalfPeriods: 0 }
}
