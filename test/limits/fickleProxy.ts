import { createServer, connect as dial, type Server, type Socket } from "node:net"
import { Effect } from "effect"

type Manner = "pass" | "lose answers" | "refuse"

/** A proxy that can drop replies or cut connections, and records what was sent. */
export const fickleProxy = (target: URL) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly port: number
      readonly become: (manner: Manner) => void
      readonly sent: () => string
      readonly server: Server
    }>((resume) => {
      let manner: Manner = "pass"
      let sent = ""
      const sockets = new Set<Socket>()
      const server = createServer((inner) => {
        if (manner === "refuse") return inner.destroy()
        const outer = dial(Number(target.port), target.hostname)
        for (const socket of [inner, outer]) {
          sockets.add(socket)
          socket.on("error", () => undefined)
        }
        inner.on("close", () => outer.destroy())
        outer.on("close", () => inner.destroy())
        inner.on("data", (chunk) => {
          sent += chunk
          outer.write(chunk)
        })
        outer.on("data", (chunk) => manner === "pass" && inner.write(chunk))
      })
      const become = (next: Manner) => {
        // A connection that missed a reply is unusable.
        if (manner !== "pass" || next === "refuse") for (const socket of sockets) socket.destroy()
        manner = next
      }
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as { port: number }
        resume(Effect.succeed({ port, become, sent: () => sent, server }))
      })
    }),
    ({ become, server }) =>
      Effect.sync(() => {
        become("refuse")
        server.close()
      }),
  )
