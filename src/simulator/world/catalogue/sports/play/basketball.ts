import type { Dice } from "../../../../random.ts"
import { type Match, type Play, type Stretch, scoreOf } from "./match.ts"

const period = (dice: Dice, edge: number, label: string, possessions: number, length: number): Stretch => {
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
    lasts: length * 2 + dice.between(240, 660),
    plays,
    ending: "clock",
    tally: undefined,
  }
}

const pause: Stretch = { label: "HT", clock: undefined, lasts: 900, plays: [], ending: "clock", tally: undefined }

export const basketball = (dice: Dice, edge: number): Match => {
  const quarter = (n: number) => period(dice, edge, `Q${n}`, 49, 720)
  const stretches = [quarter(1), quarter(2), pause, quarter(3), quarter(4)]
  while (isTied(stretches)) stretches.push(period(dice, edge, "OT", 20, 300))
  return { stretches, half: 2 }
}

const isTied = (stretches: ReadonlyArray<Stretch>) => {
  const { home, away } = scoreOf(stretches)
  return home === away
}
