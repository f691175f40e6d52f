import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import {
  byteLength,
  type Delivery,
  passThrough,
  type RawSocket,
  type Service,
  type SocketService,
  type TextOrChunks,
  toText,
  type WireInterceptor,
  type WireRequest,
  type WireResponse,
} from "./wire.ts"

const maxBodyBytes = 4 * 1024 * 1024
const maxUnreadBytes = 64 * 1024 * 1024
const internalErrorCode = 1011

/** A request line may also contain an absolute URL or garbage. */
const isPath = ({ url = "" }: IncomingMessage) =>
  url.startsWith("/") && !url.startsWith("//") && URL.canParse(url, "http://simulator")

/** Services by prefix; the longest matching prefix wins. */
export interface Routes {
  readonly services: Readonly<Record<string, Service<TextOrChunks>>>
  readonly sockets: Readonly<Record<string, SocketRoute>>
}

export interface SocketRoute {
  readonly open: SocketService
  /** Inspects the handshake; a response refuses it. */
  readonly refuse?: (request: WireRequest) => WireResponse | undefined
}

const matchPrefix = <A>(
  table: Readonly<Record<string, A>>,
  path: string,
): readonly [prefix: string, found: A] | undefined =>
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

const sendAll = (outgoing: ServerResponse, { status, headers, body }: WireResponse<TextOrChunks>) => {
  if (typeof body === "string") return outgoing.writeHead(status, headers).end(body)
  outgoing.writeHead(status, { ...headers, "content-length": String(byteLength(body)) })
  for (const chunk of body) outgoing.write(chunk)
  return outgoing.end()
}

const sendNow = (outgoing: ServerResponse, { response, sentBytes }: Delivery) => {
  const { status, headers, body } = response
  if (sentBytes === undefined) return sendAll(outgoing, response)
  const bytes = Buffer.from(toText(body))
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
    // Disconnect slow readers before their buffers fill the memory.
    if (connection.bufferedAmount > maxUnreadBytes) connection.terminate()
    else connection.send(text)
  },
  ping: () => connection.ping(),
  close: (code, reason) => connection.close(code, reason),
  drop: () => connection.terminate(),
})

/** All simulated services on one port, one prefix each, over HTTP and WebSocket. */
export const makeServer = (
  routes: Routes,
  onError: (error: unknown) => void,
  interceptor: WireInterceptor = passThrough,
): Server => {
  const server = createServer((incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    let size = 0
    incoming.on("error", () => undefined)
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBodyBytes) chunks.push(chunk)
    })
    incoming.on("end", () => {
      if (size > maxBodyBytes) return outgoing.writeHead(413).end()
      if (!isPath(incoming))
        return outgoing.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid path"}')
      const route = matchPrefix(routes.services, pathOf(incoming))
      if (route === undefined)
        return outgoing.writeHead(404, { "content-type": "application/json" }).end('{"error":"not found"}')
      const [prefix, service] = route
      try {
        const request = requestOf(incoming, prefix, Buffer.concat(chunks).toString("utf8"))
        return send(
          outgoing,
          interceptor.respond(prefix, request, (blocksBehind) => service(request, blocksBehind)),
        )
      } catch (error) {
        onError(error)
        return outgoing
          .writeHead(500, { "content-type": "application/json" })
          .end('{"error":"internal simulator error"}')
      }
    })
  })

  const upgrader = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes })
  server.on("upgrade", (incoming, socket, head) => {
    // Without a listener, a client that disconnects during the handshake would crash the process.
    socket.on("error", () => undefined)
    const route = isPath(incoming) ? matchPrefix(routes.sockets, pathOf(incoming)) : undefined
    if (route === undefined) return socket.end("HTTP/1.1 404 Not Found\r\n\r\n")
    const [prefix, { open, refuse: refusalFor }] = route
    const request = requestOf(incoming, prefix, "")
    const handshake = interceptor.connect(prefix, request)
    if (handshake.kind === "dropped") return socket.destroy()
    if (handshake.kind === "refused") return refuse(socket, handshake.response)
    const refused = refusalFor?.(request)
    if (refused !== undefined) return refuse(socket, refused)
    upgrader.handleUpgrade(incoming, socket, head, (connection) => {
      const wire = handshake.wrap(rawOf(connection))
      connection.on("error", () => undefined)
      connection.on("message", (data) => {
        try {
          wire.onMessage(String(data))
        } catch (error) {
          onError(error)
        }
      })
      connection.on("close", () => wire.onClose())
      try {
        open(wire, request)
      } catch (error) {
        onError(error)
        connection.close(internalErrorCode)
      }
    })
  })
  // Node does not track upgraded connections and would wait for them forever.
  const closeRequests = server.closeAllConnections.bind(server)
  server.closeAllConnections = () => {
    for (const connection of upgrader.clients) connection.terminate()
    closeRequests()
  }
  return server
}
