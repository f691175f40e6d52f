import { gameStateAt } from "../gamma/game.ts"
import type { Simulation } from "../Simulation.ts"
import type { SocketService, WireSocket } from "../wire.ts"
import type { Millis, Team } from "../world/model.ts"
import { type GameUpdate, GameWatch, turnOf } from "./GameWatch.ts"

/** Leagues whose sides have no common abbreviation. */
const leaguesByName = new Set(["atp", "cs2"])

const sideName = ({ league, abbreviation, alias }: Team): string =>
  leaguesByName.has(league) ? alias : abbreviation.toUpperCase()

/** Rounds of the current map, maps won, length of the series. */
const esportsScore = (score: string) => `000-000|${score}|Bo3`

/** The state of a game at a time, as sent to clients. */
export const messageText = ({ slug, game, at }: GameUpdate): string => {
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

/** In real time, not simulated time. */
export interface Heartbeat {
  readonly pingEvery: Millis
  /** How long a client may take to answer a ping. */
  readonly pongTimeout: Millis
}

const defaultHeartbeat: Heartbeat = { pingEvery: 5_000, pongTimeout: 10_000 }

const policyViolation = 1008

/** Pings a client and closes the connection when a pong is overdue. */
const keepAlive = (socket: WireSocket, { pingEvery, pongTimeout }: Heartbeat) => {
  let deadline: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(pings)
    clearTimeout(deadline)
  }
  const closeSocket = () => {
    stop()
    socket.close(policyViolation, "pong timeout")
  }
  const pings = setInterval(() => {
    socket.send("ping")
    deadline ??= setTimeout(closeSocket, pongTimeout)
  }, pingEvery)
  const onPong = () => {
    clearTimeout(deadline)
    deadline = undefined
  }
  return { onPong, stop }
}

/** Score updates of every game, broadcast to all connections without subscriptions. */
export const sportsSocket = (sim: Simulation, heartbeat: Heartbeat = defaultHeartbeat): SocketService => {
  const sockets = new Set<WireSocket>()
  const watch = new GameWatch(sim.model.world.venue, sim.now())
  sim.on("second", (second) => {
    for (const update of watch.updatesUntil(second * 1000)) {
      if (sockets.size === 0) continue
      const text = messageText(update)
      for (const socket of sockets) socket.send(text)
    }
  })

  return (socket) => {
    const { onPong, stop } = keepAlive(socket, heartbeat)
    sockets.add(socket)
    socket.onMessage = (text) => {
      if (text.trim().toLowerCase() === "pong") onPong()
    }
    socket.onClose = () => {
      stop()
      sockets.delete(socket)
    }
  }
}
