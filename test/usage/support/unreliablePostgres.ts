import { createServer, connect as dial, type Socket } from "node:net"
import { Effect, Layer, Redacted } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Stores } from "#src/roles/Stores.ts"

/** Failure of a transaction: its COMMIT or the reply to it is lost. */
type Mishap = "commit is lost" | "answer is lost"

interface Line {
  /** Applies to the next COMMIT. */
  readonly next: (mishap: Mishap) => void
  /** Number of failures so far. */
  readonly happened: () => number
  /** Cuts all connections and refuses new ones during the work. */
  readonly away: (isAway: boolean) => void
}

const isCommit = (chunk: Buffer) => chunk.includes("COMMIT")

/** A proxy to the server with failures on demand. */
const openLine = (target: URL) =>
  Effect.acquireRelease(
    Effect.callback<Line & { readonly port: number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      let planned: Mishap | undefined
      let happened = 0
      let isAway = false
      const server = createServer((inner) => {
        if (isAway) return void inner.destroy()
        const outer = dial(Number(target.port), target.hostname)
        for (const socket of [inner, outer]) sockets.add(socket.on("error", () => undefined))
        const cut = () => {
          happened += 1
          inner.destroy()
          outer.destroy()
        }
        let isDeaf = false
        inner.on("data", (chunk) => {
          const mishap = isCommit(chunk) ? planned : undefined
          if (mishap !== undefined) planned = undefined
          if (mishap === "commit is lost") return cut()
          isDeaf = mishap === "answer is lost"
          outer.write(chunk)
        })
        // The server replied, so the COMMIT succeeded.
        outer.on("data", (chunk) => (isDeaf ? cut() : inner.write(chunk)))
        inner.on("close", () => outer.destroy())
        outer.on("close", () => inner.destroy())
      })
      const cutAll = () => {
        for (const socket of sockets) socket.destroy()
      }
      server.listen(0, "127.0.0.1", () => {
        resume(
          Effect.succeed({
            port: (server.address() as { port: number }).port,
            next: (mishap) => {
              planned = mishap
            },
            happened: () => happened,
            away: (away) => {
              isAway = away
              if (away) cutAll()
            },
            close: () => {
              server.close()
              cutAll()
            },
          }),
        )
      })
    }),
    ({ close }) => Effect.sync(close),
  )

/** The same database through its own proxy, and that proxy. */
export const unreliablePostgres = Effect.gen(function* () {
  const url = new URL(Redacted.value((yield* Stores).databaseUrl))
  const line = yield* openLine(new URL(url))
  url.hostname = "127.0.0.1"
  url.port = String(line.port)
  return { line, postgres: Layer.fresh(Postgres.layer(Redacted.make(url.href))) }
})
