/** State of a game; null where the source gave no value. */
export interface GameState {
  readonly status: string | null
  readonly score: string | null
  readonly period: string | null
  readonly elapsed: string | null
  readonly turn: string | null
  readonly live: boolean | null
  readonly ended: boolean | null
  readonly finishedAt: number | null
}

export interface GameTeams {
  readonly league: string | null
  readonly home: string | null
  readonly away: string | null
}

export interface Game extends GameTeams {
  /** The venue's, which is a number or free text, depending on the sport. */
  readonly id: string
  readonly homeTeam: number | null
  readonly awayTeam: number | null
  readonly startsAt: number | null
  readonly state: GameState
}

/** An update of the live source, which identifies the game by its id or by its slug. */
export interface ScoreUpdate extends GameTeams {
  readonly id: string | null
  readonly slug: string | null
  readonly state: GameState
  /** The source's own time, which most updates lack. */
  readonly at: number | null
}

/** In `000-000|2-0|Bo3` the middle part, the maps won, is the score; otherwise the whole text is. */
export const readScore = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined || text === "") return null
  const parts = text.split("|")
  return (parts.length === 3 ? parts[1] : text) || null
}

/** One spelling: the live source sends `InProgress`, the catalogue `inprogress`. */
export const readStatus = (text: string | null | undefined): string | null => text?.toLowerCase() || null
