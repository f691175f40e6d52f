import type { Dice } from "../../../../random.ts"
import type { Millis, ScoreChange } from "../../../model.ts"

export type Side = "home" | "away"

export interface Play {
  readonly side: Side
  readonly points: number
}

/** A part of a game: a quarter, a half inning, a set. */
export interface Period {
  readonly label: string
  /** Start and length on the game clock in seconds; undefined in sports without a clock. */
  readonly clock: readonly [from: number, length: number] | undefined
  /** Real duration, interruptions included. */
  readonly seconds: number
  readonly plays: ReadonlyArray<Play>
  /** Whether it ends with its time or with its only play. */
  readonly ending: "clock" | "play"
  /** Games of a set or rounds of a map, in sports where the period itself is the point. */
  readonly tally: Score | undefined
}

export interface Score {
  readonly home: number
  readonly away: number
}

/** The full course of a game. */
export interface Match {
  readonly periods: ReadonlyArray<Period>
  /** Number of periods in the first half; 0 in sports without halves. */
  readonly firstHalfPeriods: number
}

export const totalDuration = (periods: ReadonlyArray<Period>): Millis =>
  periods.reduce((sum, { seconds }) => sum + seconds, 0) * 1000

export const scoreOf = (periods: ReadonlyArray<Period>): Score => {
  const score = { home: 0, away: 0 }
  for (const { plays } of periods) for (const { side, points } of plays) score[side] += points
  return score
}

export const tallyOf = (periods: ReadonlyArray<Period>): Score => {
  const score = { home: 0, away: 0 }
  for (const { tally } of periods) {
    score.home += tally?.home ?? 0
    score.away += tally?.away ?? 0
  }
  return score
}

export const opponent = (side: Side): Side => (side === "home" ? "away" : "home")

const clockText = (seconds: number): string =>
  `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`

/** The score changes of a game in order: every period start, every play and the end. */
export const scoreTimeline = (match: Match, startsAt: Millis, dice: Dice): ReadonlyArray<ScoreChange> => {
  const changes: Array<ScoreChange> = []
  const score = { home: 0, away: 0 }
  let periodStart = startsAt
  const record = (period: Period, share: number) => {
    const [from, length] = period.clock ?? [0, 0]
    const elapsed = period.clock === undefined ? "" : clockText(from + Math.floor(length * share))
    const at = periodStart + Math.floor(period.seconds * 1000 * share)
    changes.push({ at, home: score.home, away: score.away, period: period.label, elapsed })
  }
  for (const period of match.periods) {
    record(period, 0)
    period.plays.forEach(({ side, points }, i) => {
      score[side] += points
      const spread = 0.02 + 0.96 * ((i + dice.unit()) / period.plays.length)
      record(period, period.ending === "clock" ? spread : 0.99)
    })
    periodStart += period.seconds * 1000
  }
  const lastClock = match.periods.at(-1)?.clock
  const elapsed = lastClock === undefined ? "" : clockText(lastClock[0] + lastClock[1])
  changes.push({ at: periodStart, home: score.home, away: score.away, period: "FT", elapsed })
  return changes
}
