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

/** What a game is doing. */
export const gamePhases = ["scheduled", "live", "ended", "postponed", "cancelled"] as const
export type GamePhase = (typeof gamePhases)[number]

const calledOff = new Set(["cancelled", "canceled", "abandoned"])
const over = new Set(["finished", "final", "ended"])
const running = new Set(["inprogress", "in_progress", "running", "break"])
/** Periods after which nothing is played any more. */
export const finalPeriods: ReadonlySet<string> = new Set(["FT", "VFT", "FT OT", "FINAL"])

/** A game that is called off is usually also reported as ended. */
export const phaseOf = ({
  status,
  period,
  live,
  ended,
}: Pick<GameState, "status" | "period" | "live" | "ended">): GamePhase => {
  const [word, part] = [status ?? "", period?.toUpperCase() ?? ""]
  if (calledOff.has(word) || part === "CAN" || part === "AB") return "cancelled"
  if (word === "postponed" || part === "POST") return "postponed"
  if (ended === true || over.has(word) || finalPeriods.has(part)) return "ended"
  return live === true || running.has(word) ? "live" : "scheduled"
}
