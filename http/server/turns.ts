import type { Socket } from "node:net"
import type { Incoming, Reply } from "./Exchange.ts"

/**
 * As many pipelined requests may wait on a connection before it is no longer read. It is read until then, because a
 * connection that is not read does not tell when the client leaves.
 */
const mostWaiting = 64

interface Turn {
  readonly reply: Reply
  readonly start: () => void
}

interface Line {
  isAnswering: boolean
  readonly waiting: Array<Turn>
}

const lines = new WeakMap<Socket, Line>()

const isFull = ({ waiting }: Line) => waiting.length >= mostWaiting

/** Watches a new connection. Node resumes reading after each part of an answer; a full line still has to wait. */
export const watchTurns = (socket: Socket): void => {
  const line: Line = { isAnswering: false, waiting: [] }
  lines.set(socket, line)
  socket.on("resume", () => {
    if (isFull(line)) socket.pause()
  })
}

/** Whether the rest of a request may be late because the server has not read it. */
export const isHeldBack = (socket: Socket): boolean => (lines.get(socket)?.waiting.length ?? 0) > 0

/** Whether a request of the connection has no complete answer yet. */
export const isBeingAnswered = (socket: Socket): boolean => lines.get(socket)?.isAnswering === true

const begin = (line: Line, socket: Socket, { reply, start }: Turn): void => {
  line.isAnswering = true
  reply.once("close", () => next(line, socket))
  start()
}

const next = (line: Line, socket: Socket): void => {
  line.isAnswering = false
  const wasFull = isFull(line)
  const turn = line.waiting.shift()
  if (turn === undefined) return
  // The connection has ended, or ends with the answer just sent.
  if (turn.reply.socket === null || !socket.writable) {
    line.waiting.length = 0
    return
  }
  if (wasFull) socket.resume()
  begin(line, socket, turn)
}

/**
 * Starts a request when all earlier ones of its connection have been answered. Node hands over pipelined requests at once
 * and keeps their answers in memory, for clients that never read them too, and says nothing when such a client leaves.
 */
export const inTurn = ({ socket }: Incoming, reply: Reply, start: () => void): void => {
  const line = lines.get(socket)
  if (line === undefined) {
    start()
  } else if (!line.isAnswering) {
    begin(line, socket, { reply, start })
  } else {
    line.waiting.push({ reply, start })
    if (isFull(line)) socket.pause()
  }
}
