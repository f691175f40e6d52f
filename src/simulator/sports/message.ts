import { gameStateAt } from "../gamma/game.ts"
import type { Team } from "../world/model.ts"
import type { GameMoment } from "./GameWatch.ts"
import { turnOf } from "./possession.ts"

/** Sides of these are players or clubs without a usual abbreviation. */
const calledByName = new Set(["atp", "cs2"])

const sideName = ({ league, abbreviation, alias }: Team): string =>
  calledByName.has(league) ? alias : abbreviation.toUpperCase()

/** Rounds of the map being played, maps won, length of the series. */
const esportsScore = (score: string) => `000-000|${score}|Bo3`

/** What everyone is sent about a game as it stood at a moment. */
export const messageText = ({ slug, game, at }: GameMoment): string => {
  const { live, ended, gameStatus, score, period, elapsed } = gameStateAt(game, at)
  return JSON.stringify({
    gameId: game.id,
    leagueAbbreviation: game.league,
    slug,
    homeTeam: sideName(game.home),
    awayTeam: sideName(game.away),
    status: gameStatus,
    score: score !== undefined && game.league === "cs2" ? esportsScore(score) : score,
    period,
    elapsed: elapsed === "" ? undefined : elapsed,
    live,
    ended,
    last_update: new Date(at).toISOString(),
    finished_timestamp: ended ? new Date(game.endsAt).toISOString() : undefined,
    turn: turnOf(game, period, at),
  })
}
