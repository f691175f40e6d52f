import type { Dice } from "../../../../random.ts"
import { type Match, type Play, type Side, type Stretch, scoreOf } from "./match.ts"

const drive = (dice: Dice, edge: number, side: Side): Play | undefined => {
  const roll = dice.unit()
  const touchdown = 0.22 + (side === "home" ? edge : -edge) * 0.025
  if (roll < touchdown) return { side, points: roll < touchdown * 0.9 ? 7 : dice.chance(0.5) ? 6 : 8 }
  return roll < touchdown + 0.17 ? { side, points: 3 } : undefined
}

const period = (dice: Dice, label: string, length: number, plays: ReadonlyArray<Play>): Stretch => ({
  label,
  clock: [0, length],
  lasts: Math.floor(length * 2.4) + dice.between(0, 480),
  plays,
  ending: "clock",
  tally: undefined,
})

const quarter = (dice: Dice, edge: number, n: number): Stretch => {
  const first = dice.below(2)
  const drives = Array.from({ length: 6 }, (_, i) => drive(dice, edge, (i + first) % 2 === 0 ? "home" : "away"))
  return period(
    dice,
    `Q${n}`,
    900,
    drives.filter((play) => play !== undefined),
  )
}

/** The first score ends it; the rare tie of the real league is left out. */
const overtime = (dice: Dice, edge: number): Stretch => {
  for (let i = dice.below(2); ; i++) {
    const play = drive(dice, edge, i % 2 === 0 ? "home" : "away")
    if (play === undefined) continue
    const points = play.points === 3 ? 3 : 6
    return { ...period(dice, "OT", dice.between(120, 600), [{ ...play, points }]), ending: "play" }
  }
}

const pause: Stretch = { label: "HT", clock: undefined, lasts: 780, plays: [], ending: "clock", tally: undefined }

export const football = (dice: Dice, edge: number): Match => {
  const stretches = [
    quarter(dice, edge, 1),
    quarter(dice, edge, 2),
    pause,
    quarter(dice, edge, 3),
    quarter(dice, edge, 4),
  ]
  const { home, away } = scoreOf(stretches)
  return { stretches: home === away ? [...stretches, overtime(dice, edge)] : stretches, half: 2 }
}
