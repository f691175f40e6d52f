import { type IncomingHttpHeaders, request } from "node:http"
import { Effect } from "effect"

interface Options {
  readonly method?: string
  /** Reads a little at a time, with pauses. */
  readonly isSlow?: boolean
}

/** The raw bytes of an answer on a new connection. */
export const bytesOf = (
  port: number,
  path: string,
  headers: Record<string, string>,
  { method = "GET", isSlow = false }: Options = {},
) =>
  Effect.promise(
    () =>
      new Promise<{ readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }>((resolve, reject) => {
        request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (incoming) => {
          const parts: Array<Buffer> = []
          incoming.on("data", (part: Buffer) => {
            parts.push(part)
            if (!isSlow) return
            incoming.pause()
            setImmediate(() => incoming.resume())
          })
          incoming.on("error", reject)
          incoming.on("end", () => resolve({ headers: incoming.headers, bytes: Buffer.concat(parts) }))
        })
          .on("error", reject)
          .end()
      }),
  )
