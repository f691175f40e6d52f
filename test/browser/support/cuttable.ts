import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

/** A way to a port that can be cut and closed as a network can, for whoever comes through it. */
export const cuttable = (to: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly cut: () => number; readonly end: () => void; isClosed: boolean }>(
      (resume) => {
        const open = new Set<Socket>()
        const server = createServer((near) => {
          if (way.isClosed) return near.destroy()
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
        const way = { port: 0, isClosed: false, cut, end: () => server.close() }
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed(Object.assign(way, { port: typeof address === "object" ? (address?.port ?? 0) : 0 })))
        })
      },
    ),
    (way) =>
      Effect.sync(() => {
        way.cut()
        way.end()
      }),
  )
