import { finalPeriods, type GameState, type ScoreUpdate } from "#src/domain/Game.ts"

const unknownState: GameState = {
  status: null,
  score: null,
  period: null,
  elapsed: null,
  turn: null,
  live: null,
  ended: null,
  finishedAt: null,
}

export interface KnownGame {
  readonly id: string
  readonly state: GameState
  /** The source's own time of its last update. */
  readonly sourceAt: number | null
  /** When the last update of the live source was received. */
  readonly receivedAt: number | null
}

/** An update of the live source whose game is known. */
export type GameUpdate = ScoreUpdate & { readonly id: string }

/** The catalogue lags behind, so it counts only after the live source has been silent for this long. */
export const catalogueLag = 15_000

/** Fields without a new value keep the old one. */
const merged = (before: GameState, update: GameState): GameState => ({
  status: update.status ?? before.status,
  score: update.score ?? before.score,
  period: update.period ?? before.period,
  elapsed: update.elapsed,
  turn: update.turn,
  live: update.live ?? before.live,
  ended: update.ended ?? before.ended,
  finishedAt: update.finishedAt ?? before.finishedAt,
})

const hasChanged = (before: GameState, after: GameState) =>
  before.score !== after.score || before.period !== after.period || before.status !== after.status

export interface GameChange {
  readonly next: KnownGame
  /** Whether to announce it: the score, period or status has changed. */
  readonly announced: boolean
}

interface Period {
  /** Periods of different kinds cannot be compared: half-time is after the first half, or after the second quarter. */
  readonly kind: string
  readonly number: number
}

/** Q1 to Q4, 1H, HT, 2H, S1 to S5, 1/3 to 3/3; undefined for others. */
const readPeriod = (period: string | null): Period | undefined => {
  const name = period?.toUpperCase() ?? ""
  if (name === "HT") return { kind: "H", number: 1.5 }
  const [, before = "", number, after = ""] = /^([A-Z]?)(\d{1,2})([A-Z]|\/\d{1,2})?$/.exec(name) ?? []
  return number === undefined ? undefined : { kind: before + after, number: Number(number) }
}

const isFinal = (period: string | null) => finalPeriods.has(period?.toUpperCase() ?? "")

/** Whether an update without a time is from an earlier part of the game. The catalogue corrects what this gets wrong. */
const isEarlier = (before: GameState, update: GameState): boolean => {
  if (before.ended === true && update.ended === false) return true
  const [reached, next] = [readPeriod(before.period), readPeriod(update.period)]
  if (next !== undefined && isFinal(before.period)) return true
  return reached !== undefined && next?.kind === reached.kind && next.number < reached.number
}

/** Applies an update of the live source unless it is older than the last one: messages overtake each other. */
export const applyLive = (known: KnownGame | undefined, update: GameUpdate, now: number): GameChange | undefined => {
  const before = known?.state ?? unknownState
  const sourceAt = known?.sourceAt ?? null
  if (sourceAt !== null && update.at !== null ? update.at < sourceAt : isEarlier(before, update.state)) return undefined
  const state = merged(before, update.state)
  return {
    next: { id: update.id, state, sourceAt: update.at ?? sourceAt, receivedAt: now },
    announced: hasChanged(before, state),
  }
}

/** Applies the state that the catalogue had at `requestedAt`. It corrects what the live source missed or got wrong. */
export const applyCatalogue = (known: KnownGame, update: GameState, requestedAt: number): GameChange | undefined => {
  if (known.receivedAt !== null && requestedAt < known.receivedAt + catalogueLag) return undefined
  // Only the live source knows the turn.
  const state = { ...merged(known.state, update), turn: known.state.turn }
  const isFirst = known.state.status === null
  return {
    next: { id: known.id, state, sourceAt: null, receivedAt: known.receivedAt },
    announced: !isFirst && hasChanged(known.state, state),
  }
}
