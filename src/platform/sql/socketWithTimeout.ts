import { connect, type Socket } from "node:net"
import { Redacted } from "effect"

/**
 * A connection to Postgres that closes when a request stays unanswered. sql-pg has no such timeout: a connection lost to a
 * firewall or a failed machine would stay in the pool forever. The server's statement timeout is shorter than
 * `silenceMillis`, so only dead connections are closed.
 */
export const socketWithTimeout = (url: Redacted.Redacted<string>, silenceMillis: number) => (): Socket => {
  const { hostname, port } = new URL(Redacted.value(url))
  // A URL puts brackets around an IPv6 address.
  const host = hostname.replace(/^\[|\]$/g, "")
  const socket = connect({
    host,
    port: Number(port || 5432),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 10_000,
  })
  let timer: NodeJS.Timeout | undefined
  const answered = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const write = socket.write
  socket.write = function (this: Socket, ...parts: Parameters<Socket["write"]>) {
    timer ??= setTimeout(() => socket.destroy(new Error(`no answer for ${silenceMillis / 1000} s`)), silenceMillis)
    return write.apply(this, parts)
  } as Socket["write"]
  socket.on("data", answered)
  socket.on("close", answered)
  return socket
}
