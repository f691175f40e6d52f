import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { bytesIn, type Text, wholeText } from "./pieces.ts"
import {
  type Delivery,
  type Interference,
  noInterference,
  type RawSocket,
  type Service,
  type SocketService,
  type WireRequest,
  type WireResponse,
} from "./wire.ts"

const largestBody = 4 * 1024 * 1024
const mostUnread = 64 * 1024 * 1024
const internalError = 1011

/** A request line may also name a whole address, or nothing that is one. */
const isPath = ({ url = "" }: IncomingMessage) =>
  url.startsWith("/") && !url.startsWith("//") && URL.canParse(url, "http://simulator")

/** Which service answers under which prefix; the longest one that fits is taken. */
export interface Routes {
  readonly services: Readonly<Record<string, Service<Text>>>
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

const pathOf = ({ url = "/" }: IncomingMessage) => url.split("?")[0] ?? "/"

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

const sendWhole = (outgoing: ServerResponse, { status, headers, body }: WireResponse<Text>) => {
  if (typeof body === "string") return outgoing.writeHead(status, headers).end(body)
  outgoing.writeHead(status, { ...headers, "content-length": String(bytesIn(body)) })
  for (const piece of body) outgoing.write(piece)
  return outgoing.end()
}

const sendNow = (outgoing: ServerResponse, { response, sentBytes }: Delivery) => {
  const { status, headers, body } = response
  if (sentBytes === undefined) return sendWhole(outgoing, response)
  const bytes = Buffer.from(wholeText(body))
  outgoing.writeHead(status, { ...headers, "content-length": String(bytes.length) }).flushHeaders()
  return outgoing.write(bytes.subarray(0, sentBytes), () => outgoing.destroy())
}

const send = (outgoing: ServerResponse, delivery: Delivery | undefined) => {
  if (delivery === undefined) outgoing.destroy()
  else if (delivery.delayMillis === 0) sendNow(outgoing, delivery)
  else setTimeout(() => outgoing.destroyed || sendNow(outgoing, delivery), delivery.delayMillis).unref()
}

const refuse = (socket: Duplex, { status, body }: WireResponse) =>
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\n\r\n${body}`)

const rawOf = (connection: WebSocket): RawSocket => ({
  send: (text) => {
    // Whoever does not read is let go, before what is kept for them fills the memory.
    if (connection.bufferedAmount > mostUnread) connection.terminate()
    else connection.send(text)
  },
  close: (code, reason) => connection.close(code, reason),
  drop: () => connection.terminate(),
})

/** The outside world on one port: a prefix per service, for requests and for sockets. */
export const makeServer = (
  routes: Routes,
  onFault: (error: unknown) => void,
  interference: Interference = noInterference,
): Server => {
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
      const route = under(routes.services, pathOf(incoming))
      if (route === undefined)
        return outgoing.writeHead(404, { "content-type": "application/json" }).end('{"error":"not found"}')
      const [prefix, service] = route
      try {
        const request = requestOf(incoming, prefix, Buffer.concat(chunks).toString("utf8"))
        return send(
          outgoing,
          interference.answer(prefix, request, (blocksBehind) => service(request, blocksBehind)),
        )
      } catch (error) {
        onFault(error)
        return outgoing.writeHead(500, { "content-type": "application/json" }).end('{"error":"the simulator failed"}')
      }
    })
  })

  const upgrader = new WebSocketServer({ noServer: true, maxPayload: largestBody })
  server.on("upgrade", (incoming, socket, head) => {
    // Who hangs up before the answer would otherwise end the process.
    socket.on("error", () => undefined)
    const route = isPath(incoming) ? under(routes.sockets, pathOf(incoming)) : undefined
    if (route === undefined) return socket.end("HTTP/1.1 404 Not Found\r\n\r\n")
    const [prefix, { open, refuse: refusalOf }] = route
    const request = requestOf(incoming, prefix, "")
    const handshake = interference.connect(prefix, request)
    if (handshake.kind === "dropped") return socket.destroy()
    if (handshake.kind === "refused") return refuse(socket, handshake.response)
    const refused = refusalOf?.(request)
    if (refused !== undefined) return refuse(socket, refused)
    upgrader.handleUpgrade(incoming, socket, head, (connection) => {
      const wire = handshake.wrap(rawOf(connection))
      connection.on("error", () => undefined)
      connection.on("message", (data) => {
        try {
          wire.onMessage(String(data))
        } catch (error) {
          onFault(error)
        }
      })
      connection.on("close", () => wire.onClose())
      try {
        open(wire, request)
      } catch (error) {
        onFault(error)
        connection.close(internalError)
      }
    })
  })
  // Node itself forgets those that became sockets, and would wait for them for ever.
  const closeRequests = server.closeAllConnections.bind(server)
  server.closeAllConnections = () => {
    for (const connection of upgrader.clients) connection.terminate()
    closeRequests()
  }
  return server
}
