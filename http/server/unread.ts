import type { Server } from "node:http"
import type { Socket } from "node:net"
import { isBeingAnswered } from "./turns.ts"

/** Bytes that the kernel has taken, or undefined while nothing waits for it. Node's `bytesWritten` counts what waits too. */
const takenBytes = (socket: Socket): number | undefined => {
  const queued = Number(Reflect.get(Reflect.get(socket, "_handle") ?? {}, "writeQueueSize") ?? 0)
  return queued > 0 ? Number(Reflect.get(socket, "_bytesDispatched")) - queued : undefined
}

/** Without a listener Node would also cut a connection whose answer is being made. */
const cutSilent = (server: Server, millis: number): void => {
  server.timeout = millis
  server.on("timeout", (socket) => {
    if (socket.writableLength > 0 || !isBeingAnswered(socket)) socket.destroy()
  })
}

/** A client that reads a byte now and then is never silent, and would keep its answer in memory. */
const cutSlow = (server: Server, millis: number, leastBytes: number): void => {
  const taken = new Map<Socket, number | undefined>()
  server.on("connection", (socket) => {
    taken.set(socket, undefined)
    socket.once("close", () => taken.delete(socket))
  })
  const check = () => {
    for (const [socket, before] of taken) {
      const now = takenBytes(socket)
      taken.set(socket, now)
      if (before !== undefined && now !== undefined && now - before < leastBytes) socket.destroy()
    }
  }
  const timer = setInterval(check, millis).unref()
  server.once("close", () => clearInterval(timer))
}

/** Cuts connections whose client reads nothing for so long, or fewer bytes of a waiting answer. */
export const cutUnread = (server: Server, millis: number, leastBytes: number): void => {
  cutSilent(server, millis)
  cutSlow(server, millis, leastBytes)
}
