import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

export interface CuttableProxy {
  readonly port: number
  /** Ends the connections; returns how many there were. */
  readonly cut: () => number
  readonly end: () => void
  /** Whether new connections are refused. */
  isClosed: boolean
}

/** A TCP proxy to a port of this machine that can cut its connections and refuse new ones. */
export const cuttableProxy = (to: number, at: { readonly host: string; readonly port: number }) =>
  Effect.acquireRelease(
    Effect.callback<CuttableProxy>((resume) => {
      const open = new Set<Socket>()
      const server = createServer((near) => {
        if (proxy.isClosed) return near.destroy()
        const far = connect(to, "127.0.0.1")
        open.add(near)
        for (const [one, other] of [
          [near, far],
          [far, near],
        ] as const) {
          one.on("error", () => undefined)
          one.on("close", () => {
            open.delete(near)
            other.destroy()
          })
          one.pipe(other)
        }
      })
      const cut = () => {
        const count = open.size
        for (const socket of open) socket.destroy()
        return count
      }
      const proxy = { port: 0, isClosed: false, cut, end: () => server.close() }
      server.once("error", (error) => resume(Effect.die(error)))
      server.listen(at.port, at.host, () => {
        const address = server.address()
        resume(Effect.succeed(Object.assign(proxy, { port: typeof address === "object" ? (address?.port ?? 0) : 0 })))
      })
    }),
    (proxy) =>
      Effect.sync(() => {
        proxy.cut()
        proxy.end()
      }),
  )
