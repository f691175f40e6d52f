import { connect, type Socket } from "node:net"
import { Redacted } from "effect"

/**
 * A connection to Postgres that gives up when a question stays unanswered. sql-pg has no such limit, and a connection
 * that a firewall or a failed machine swallowed would otherwise keep its place in the pool for ever.
 * Statements end before `silenceMillis` by the server's own time limit, so only the dead are cut.
 */
export const watchedSocket = (url: Redacted.Redacted<string>, silenceMillis: number) => (): Socket => {
  const { hostname, port } = new URL(Redacted.value(url))
  // Brackets belong to the address in a URL, not to the address itself.
  const host = hostname.replace(/^\[|\]$/g, "")
  const socket = connect({
    host,
    port: Number(port || 5432),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 10_000,
  })
  let waiting: NodeJS.Timeout | undefined
  const answered = () => {
    clearTimeout(waiting)
    waiting = undefined
  }
  const write = socket.write
  socket.write = function (this: Socket, ...parts: Parameters<Socket["write"]>) {
    waiting ??= setTimeout(() => socket.destroy(new Error(`no answer for ${silenceMillis / 1000} s`)), silenceMillis)
    return write.apply(this, parts)
  } as Socket["write"]
  socket.on("data", answered)
  socket.on("close", answered)
  return socket
}
