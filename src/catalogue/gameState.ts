import type { GameState, ScoreUpdate } from "#src/domain/Game.ts"

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
  readonly id: number
  readonly state: GameState
  /** The source's own time of its last update. */
  readonly sourceAt: number | null
  /** When the last update of the live source was received. */
  readonly receivedAt: number | null
}

/** An update of the live source whose game is known. */
export type GameUpdate = ScoreUpdate & { readonly id: number }

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

/** Applies an update of the live source unless it is older than the last one: messages overtake each other. */
export const applyLive = (known: KnownGame | undefined, update: GameUpdate, now: number): GameChange | undefined => {
  if (known?.sourceAt !== null && known?.sourceAt !== undefined && update.at !== null && update.at < known.sourceAt)
    return undefined
  const before = known?.state ?? unknownState
  const state = merged(before, update.state)
  return { next: { id: update.id, state, sourceAt: update.at, receivedAt: now }, announced: hasChanged(before, state) }
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
