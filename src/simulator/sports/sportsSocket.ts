import type { Simulation } from "../Simulation.ts"
import type { SocketService, WireSocket } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { GameWatch } from "./GameWatch.ts"
import { messageText } from "./message.ts"

/** In real time, in which connections live. */
export interface Heartbeat {
  readonly pingEvery: Millis
  /** How long a client may leave a ping unanswered. */
  readonly patience: Millis
}

const usualHeartbeat: Heartbeat = { pingEvery: 5_000, patience: 10_000 }

const policyViolation = 1008

/** Asks a client again and again whether it is there, and lets it go when it no longer says so. */
const keepAlive = (socket: WireSocket, { pingEvery, patience }: Heartbeat) => {
  let deadline: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(pings)
    clearTimeout(deadline)
  }
  const giveUp = () => {
    stop()
    socket.close(policyViolation, "pong timeout")
  }
  const pings = setInterval(() => {
    socket.send("ping")
    deadline ??= setTimeout(giveUp, patience)
  }, pingEvery)
  const answered = () => {
    clearTimeout(deadline)
    deadline = undefined
  }
  return { answered, stop }
}

/** Scores of every game as they change, to everyone who is connected; there is nothing to subscribe to. */
export const sportsSocket = (sim: Simulation, heartbeat: Heartbeat = usualHeartbeat): SocketService => {
  const sockets = new Set<WireSocket>()
  const watch = new GameWatch(sim.made.world.venue, sim.now())
  sim.on("second", (second) => {
    for (const moment of watch.upTo(second * 1000)) {
      if (sockets.size === 0) continue
      const text = messageText(moment)
      for (const socket of sockets) socket.send(text)
    }
  })

  return (socket) => {
    const { answered, stop } = keepAlive(socket, heartbeat)
    sockets.add(socket)
    socket.onMessage = (text) => {
      if (text.trim().toLowerCase() === "pong") answered()
    }
    socket.onClose = () => {
      stop()
      sockets.delete(socket)
    }
  }
}
