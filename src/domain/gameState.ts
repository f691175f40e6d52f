import type { GameState } from "./Catalogue.ts"

export const unknownState: GameState = {
  status: null,
  score: null,
  period: null,
  elapsed: null,
  turn: null,
  live: null,
  ended: null,
  finishedAt: null,
}

/** What is known of a game, and since when. */
export interface KnownGame {
  readonly id: number
  readonly state: GameState
  /** The time that the source itself gave for what it last said. */
  readonly sourceAt: number | null
  /** When the live source last said anything. */
  readonly heardAt: number | null
}

/** Something said about a game. `at` is the source's own time, null for the catalogue, which does not give one. */
export interface GameNews {
  readonly id: number
  readonly slug: string
  readonly league: string | null
  readonly home: string | null
  readonly away: string | null
  readonly state: GameState
  readonly at: number | null
}

/** The news of a game that may be known by its name alone. */
export type ScoreNews = Omit<GameNews, "id"> & { readonly id: number | null }

/** The catalogue is a copy that lags: it is believed only when the live source has been quiet for so long. */
export const catalogueLag = 15_000

/** Maps won stand in the middle of `000-000|2-0|Bo3`; elsewhere the score is the whole. */
export const readScore = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined || text === "") return null
  const parts = text.split("|")
  return (parts.length === 3 ? parts[1] : text) || null
}

/** One spelling: the live source and the catalogue write `InProgress` and `inprogress`. */
export const readStatus = (text: string | null | undefined): string | null => text?.toLowerCase() || null

/** What was left out stays as it was. */
const merged = (before: GameState, said: GameState): GameState => ({
  status: said.status ?? before.status,
  score: said.score ?? before.score,
  period: said.period ?? before.period,
  elapsed: said.elapsed,
  turn: said.turn,
  live: said.live ?? before.live,
  ended: said.ended ?? before.ended,
  finishedAt: said.finishedAt ?? before.finishedAt,
})

const isNews = (before: GameState, after: GameState) =>
  before.score !== after.score || before.period !== after.period || before.status !== after.status

export interface Verdict {
  readonly next: KnownGame
  /** Whether it is to be announced: score, period or status are not what they were. */
  readonly announced: boolean
}

/** What the live source says counts unless it is older than what it said before: messages overtake each other. */
export const hearLive = (known: KnownGame | undefined, news: GameNews, now: number): Verdict | undefined => {
  if (known?.sourceAt !== null && known?.sourceAt !== undefined && news.at !== null && news.at < known.sourceAt)
    return undefined
  const before = known?.state ?? unknownState
  const state = merged(before, news.state)
  return { next: { id: news.id, state, sourceAt: news.at, heardAt: now }, announced: isNews(before, state) }
}

/** What the catalogue says, asked at a moment, mends what the live source missed or got wrong. */
export const hearCatalogue = (known: KnownGame, said: GameState, askedAt: number): Verdict | undefined => {
  if (known.heardAt !== null && askedAt < known.heardAt + catalogueLag) return undefined
  // Only the live source tells who has the ball.
  const state = { ...merged(known.state, said), turn: known.state.turn }
  const isFirst = known.state.status === null
  return {
    next: { id: known.id, state, sourceAt: null, heardAt: known.heardAt },
    announced: !isFirst && isNews(known.state, state),
  }
}
