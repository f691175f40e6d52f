import { createServer, type IncomingMessage, type Server } from "node:http"
import { WebSocketServer } from "ws"
import type { Service, SocketService, WireRequest, WireResponse, WireSocket } from "./wire.ts"

const largestBody = 4 * 1024 * 1024
const mostUnread = 64 * 1024 * 1024

/** A request line may also name a whole address, or nothing that is one. */
const isPath = ({ url = "" }: IncomingMessage) =>
  url.startsWith("/") && !url.startsWith("//") && URL.canParse(url, "http://simulator")

/** Which service answers under which prefix; the longest one that fits is taken. */
export interface Routes {
  readonly services: Readonly<Record<string, Service>>
  readonly sockets: Readonly<Record<string, SocketRoute>>
}

export interface SocketRoute {
  readonly open: SocketService
  /** Looks at the handshake; an answer refuses it. */
  readonly refuse?: (request: WireRequest) => WireResponse | undefined
}

const under = <A>(table: Readonly<Record<string, A>>, path: string): readonly [prefix: string, found: A] | undefined =>
  Object.entries(table)
    .filter(([prefix]) => prefix === "/" || path === prefix || path.startsWith(`${prefix}/`))
    .sort(([a], [b]) => b.length - a.length)[0]

const requestOf = (incoming: IncomingMessage, prefix: string, body: string): WireRequest => {
  const url = new URL(incoming.url ?? "/", "http://simulator")
  const cut = prefix === "/" ? 0 : prefix.length
  return {
    method: incoming.method ?? "GET",
    path: url.pathname.slice(cut) || "/",
    query: url.searchParams,
    target: incoming.url ?? "/",
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body,
  }
}

/** The outside world on one port: a prefix per service, for requests and for sockets. */
export const makeServer = (routes: Routes, onFault: (error: unknown) => void): Server => {
  const server = createServer((incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    let size = 0
    incoming.on("error", () => undefined)
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= largestBody) chunks.push(chunk)
    })
    incoming.on("end", () => {
      if (size > largestBody) return outgoing.writeHead(413).end()
      if (!isPath(incoming))
        return outgoing.writeHead(400, { "content-type": "application/json" }).end('{"error":"not a path"}')
      const path = (incoming.url ?? "/").split("?")[0] ?? "/"
      const route = under(routes.services, path)
      if (route === undefined)
        return outgoing.writeHead(404, { "content-type": "application/json" }).end('{"error":"not found"}')
      try {
        const { status, headers, body } = route[1](
          requestOf(incoming, route[0], Buffer.concat(chunks).toString("utf8")),
        )
        outgoing.writeHead(status, headers).end(body)
      } catch (error) {
        onFault(error)
        outgoing.writeHead(500, { "content-type": "application/json" }).end('{"error":"the simulator failed"}')
      }
    })
  })

  const upgrader = new WebSocketServer({ noServer: true, maxPayload: largestBody })
  server.on("upgrade", (incoming, socket, head) => {
    const path = (incoming.url ?? "/").split("?")[0] ?? "/"
    const route = isPath(incoming) ? under(routes.sockets, path) : undefined
    if (route === undefined) return socket.end("HTTP/1.1 404 Not Found\r\n\r\n")
    const [prefix, { open, refuse }] = route
    const request = requestOf(incoming, prefix, "")
    const refused = refuse?.(request)
    if (refused !== undefined)
      return socket.end(`HTTP/1.1 ${refused.status} Refused\r\nconnection: close\r\n\r\n${refused.body}`)
    upgrader.handleUpgrade(incoming, socket, head, (opened) => {
      const wire: WireSocket = {
        send: (text) => {
          // Whoever does not read is let go, before what is kept for them fills the memory.
          if (opened.bufferedAmount > mostUnread) opened.terminate()
          else opened.send(text)
        },
        close: (code, reason) => opened.close(code, reason),
        onMessage: () => undefined,
        onClose: () => undefined,
      }
      opened.on("error", () => undefined)
      opened.on("message", (data) => {
        try {
          wire.onMessage(String(data))
        } catch (error) {
          onFault(error)
        }
      })
      opened.on("close", () => wire.onClose())
      open(wire, request)
    })
  })
  return server
}
