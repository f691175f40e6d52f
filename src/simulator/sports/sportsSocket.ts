import { gameStateAt } from "../gamma/game.ts"
import { gameIdOfScore } from "../gamma/gameIds.ts"
import type { Simulation } from "../Simulation.ts"
import type { SocketService, WireSocket } from "../wire.ts"
import type { Game, Millis, Team } from "../world/model.ts"
import { footballLeagues, type GameUpdate, GameWatch, turnOf } from "./GameWatch.ts"

/** Leagues whose sides have no common abbreviation. */
const leaguesByName = new Set(["atp", "cs2"])

const sideName = ({ league, abbreviation, alias }: Team): string =>
  leaguesByName.has(league) ? alias : abbreviation.toUpperCase()

/** Rounds of the current map, maps won, length of the series. */
const esportsScore = (score: string) => `000-000|${score}|Bo3`

/** Only football messages have a time. */
const updatedAt = ({ league }: Game, at: Millis) =>
  footballLeagues.has(league) ? new Date(at).toISOString() : undefined

/** As the real service prints it. */
const withNineDecimals = (time: string) => new Date(time).toISOString().replace("Z", "000000Z")

/** The state of a game at a time, as sent to clients. */
export const messageText = ({ game, at }: GameUpdate): string => {
  const { live, ended, gameStatus, score, period, elapsed, finishedTimestamp } = gameStateAt(game, at)
  return JSON.stringify({
    ...gameIdOfScore(game),
    leagueAbbreviation: game.league,
    homeTeam: sideName(game.home),
    awayTeam: sideName(game.away),
    status: gameStatus,
    score: score !== undefined && game.league === "cs2" ? esportsScore(score) : score,
    period,
    elapsed,
    live,
    ended,
    updatedAt: updatedAt(game, at),
    finishedTimestamp: finishedTimestamp && withNineDecimals(finishedTimestamp),
    turn: turnOf(game, period, at),
  })
}

/** In real time, not simulated time. */
const pingEveryMillis = 15_000

/** Score updates of every game, broadcast to all connections without subscriptions. Between games only pings are sent. */
export const sportsSocket = (sim: Simulation, pingEvery: Millis = pingEveryMillis): SocketService => {
  const sockets = new Set<WireSocket>()
  const watch = new GameWatch(sim.model.world.venue, sim.now())
  const send = (update: GameUpdate) => {
    if (sockets.size === 0) return
    const text = messageText(update)
    for (const socket of sockets) socket.send(text)
  }
  sim.on("second", (second) => {
    for (const update of watch.updatesUntil(second * 1000)) send(update)
  })
  sim.on("game", (game) => send({ game, at: sim.now() }))

  return (socket) => {
    const pings = setInterval(() => socket.ping?.(), pingEvery)
    sockets.add(socket)
    socket.onClose = () => {
      clearInterval(pings)
      sockets.delete(socket)
    }
  }
}
