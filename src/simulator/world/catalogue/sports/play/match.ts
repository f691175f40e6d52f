import type { Dice } from "../../../../random.ts"
import type { Millis, ScoreChange } from "../../../model.ts"

export type Side = "home" | "away"

export interface Play {
  readonly side: Side
  readonly points: number
}

/** A part of a game with one name: a quarter, half an inning, a set. */
export interface Stretch {
  readonly label: string
  /** What the game's clock shows at its beginning and how far it runs, in seconds; without one in some sports. */
  readonly clock: readonly [from: number, length: number] | undefined
  /** How long it takes, with all interruptions, in seconds. */
  readonly lasts: number
  readonly plays: ReadonlyArray<Play>
  /** Whether it ends when its time is up or with its only play. */
  readonly ending: "clock" | "play"
  /** Games of a set, rounds of a map: what decides it when the stretch itself is the point. */
  readonly tally: Score | undefined
}

export interface Score {
  readonly home: number
  readonly away: number
}

/** A game as it will have been played. */
export interface Match {
  readonly stretches: ReadonlyArray<Stretch>
  /** How many stretches make the first half; none where there is no such thing. */
  readonly half: number
}

export const lastsInAll = (stretches: ReadonlyArray<Stretch>): Millis =>
  stretches.reduce((sum, { lasts }) => sum + lasts, 0) * 1000

export const scoreOf = (stretches: ReadonlyArray<Stretch>): Score => {
  const score = { home: 0, away: 0 }
  for (const { plays } of stretches) for (const { side, points } of plays) score[side] += points
  return score
}

export const tallyOf = (stretches: ReadonlyArray<Stretch>): Score => {
  const score = { home: 0, away: 0 }
  for (const { tally } of stretches) {
    score.home += tally?.home ?? 0
    score.away += tally?.away ?? 0
  }
  return score
}

export const other = (side: Side): Side => (side === "home" ? "away" : "home")

const clockText = (seconds: number): string =>
  `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`

/** The moments of a game in order: every stretch's beginning, every play and the end. */
export const narrate = (match: Match, startsAt: Millis, dice: Dice): ReadonlyArray<ScoreChange> => {
  const changes: Array<ScoreChange> = []
  const score = { home: 0, away: 0 }
  let begins = startsAt
  const tell = (stretch: Stretch, share: number) => {
    const [from, length] = stretch.clock ?? [0, 0]
    const elapsed = stretch.clock === undefined ? "" : clockText(from + Math.floor(length * share))
    const at = begins + Math.floor(stretch.lasts * 1000 * share)
    changes.push({ at, home: score.home, away: score.away, period: stretch.label, elapsed })
  }
  for (const stretch of match.stretches) {
    tell(stretch, 0)
    stretch.plays.forEach(({ side, points }, i) => {
      score[side] += points
      const spread = 0.02 + 0.96 * ((i + dice.unit()) / stretch.plays.length)
      tell(stretch, stretch.ending === "clock" ? spread : 0.99)
    })
    begins += stretch.lasts * 1000
  }
  const lastClock = match.stretches.at(-1)?.clock
  const elapsed = lastClock === undefined ? "" : clockText(lastClock[0] + lastClock[1])
  changes.push({ at: begins, home: score.home, away: score.away, period: "FT", elapsed })
  return changes
}
