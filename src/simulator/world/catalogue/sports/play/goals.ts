import type { Dice } from "../../../../random.ts"
import { type Match, type Play, type Side, type Stretch, scoreOf } from "./match.ts"

/** The goals of a period in which both sides get `tries`. */
const goals = (dice: Dice, tries: number, homeChance: number, awayChance: number): ReadonlyArray<Play> => {
  const plays: Array<Play> = []
  for (let i = 0; i < tries; i++) {
    if (dice.chance(homeChance)) plays.push({ side: "home", points: 1 })
    if (dice.chance(awayChance)) plays.push({ side: "away", points: 1 })
  }
  return plays
}

const pause: Stretch = { label: "HT", clock: undefined, lasts: 900, plays: [], ending: "clock", tally: undefined }

export const soccer = (dice: Dice, edge: number): Match => {
  const half = (label: string, from: number): Stretch => {
    const added = dice.between(60, 360)
    const plays = goals(dice, 9, 0.075 + edge * 0.015, 0.075 - edge * 0.015)
    return { label, clock: [from, 2700 + added], lasts: 2700 + added, plays, ending: "clock", tally: undefined }
  }
  return { stretches: [half("1H", 0), pause, half("2H", 2700)], half: 1 }
}

export const hockey = (dice: Dice, edge: number): Match => {
  const period = (n: number): Stretch => {
    const plays = goals(dice, 10, 0.1 + edge * 0.01, 0.1 - edge * 0.01)
    return {
      label: `P${n}`,
      clock: [0, 1200],
      lasts: 2400 + dice.between(0, 600),
      plays,
      ending: "clock",
      tally: undefined,
    }
  }
  const stretches = [period(1), period(2), period(3)]
  const { home, away } = scoreOf(stretches)
  if (home !== away) return { stretches, half: 0 }
  const winner: Side = dice.chance(0.5 + edge * 0.05) ? "home" : "away"
  const decided: ReadonlyArray<Play> = [{ side: winner, points: 1 }]
  const seconds = dice.between(30, 300)
  const inOvertime = dice.chance(0.6)
  const overtime: Stretch = {
    label: "OT",
    clock: [0, inOvertime ? seconds : 300],
    lasts: 360 + seconds,
    plays: inOvertime ? decided : [],
    ending: inOvertime ? "play" : "clock",
    tally: undefined,
  }
  const shootOut: Stretch = {
    label: "PEN",
    clock: undefined,
    lasts: 420,
    plays: decided,
    ending: "play",
    tally: undefined,
  }
  return { stretches: [...stretches, overtime, ...(inOvertime ? [] : [shootOut])], half: 0 }
}
