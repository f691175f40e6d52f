import { type IncomingHttpHeaders, request } from "node:http"
import { connect } from "node:net"
import { Effect } from "effect"
import { patience } from "#test/support/patience.ts"

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly json: any
}

interface Call {
  readonly method?: string
  readonly headers?: Record<string, string | Array<string>>
  readonly body?: string
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One request on a new connection. */
export const call = (port: number, path: string, { method = "GET", headers = {}, body }: Call = {}) =>
  Effect.callback<Answer, Error>((resume) => {
    const outgoing = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (incoming) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk) => chunks.push(chunk))
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        resume(
          Effect.succeed({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) }),
        )
      })
    })
    // Without this, Node silently closes the connection on an upgrade.
    outgoing.on("upgrade", ({ statusCode = 101, headers }, socket) => {
      socket.destroy()
      resume(Effect.succeed({ status: statusCode, headers, text: "", json: undefined }))
    })
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    outgoing.end(body)
  })

export const postJson = (port: number, path: string, body: unknown) =>
  call(port, path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })

/** Writes raw bytes and returns everything received until the server closed the connection. */
export const speak = (port: number, ...parts: ReadonlyArray<string | Buffer>) =>
  Effect.callback<string>((resume) => {
    const socket = connect(port, "127.0.0.1")
    let heard = ""
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1")
    })
    // The server may close the connection during the write; its answer still counts.
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(heard)))
    for (const part of parts) socket.write(part)
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeout(patience))

export const statusOf = (heard: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1])
export const bodyOf = (heard: string) => parsed(heard.slice(heard.indexOf("\r\n\r\n") + 4)) as { error: string }
