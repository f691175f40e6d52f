import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { type WebSocket, WebSocketServer } from "ws"
import { answerSources, type FrameSource } from "../model.ts"
import type { Recording } from "../RecordingReader.ts"
import { Answers } from "./Answers.ts"
import { Feed } from "./Feed.ts"
import { MarketSocket } from "./MarketSocket.ts"
import { NodeSocket } from "./NodeSocket.ts"
import { RecordedChain } from "./RecordedChain.ts"
import { makeRpc, type RpcOptions } from "./rpc.ts"

/** Paths of the upstreams. */
export const paths = {
  rpc: "/rpc",
  gamma: "/gamma",
  clob: "/clob",
  data: "/data",
  site: "/site",
  datastreams: "/datastreams",
  "clob-socket": "/clob/ws/market",
  rtds: "/rtds",
  polybolt: "/polybolt/ws",
  "datastreams-socket": "/datastreams/api/v1/ws",
  sports: "/sports/ws",
} as const

const pumpMillis = 20
const pingMillis = 15_000

const fieldsOf = (message: string): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(message)) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

const send = (response: ServerResponse, status: number, body: string) =>
  response.writeHead(status, { "content-type": "application/json" }).end(body)

export interface ReplayServerOptions {
  readonly recording: Pick<Recording, "chain" | "answers" | "frames">
  readonly now: () => number
  readonly call?: RpcOptions["call"]
}

/** Speaks the protocols of all upstreams, from a recording. */
const makeReplayServer = ({ recording, now, call }: ReplayServerOptions) => {
  const { answers: recorded, frames } = recording
  const framesOf = (source: FrameSource) => frames.get(source) ?? []
  const chain = new RecordedChain(recording.chain)
  const rpc = makeRpc({ chain, now, call })
  const answers = new Answers({ answers: recorded, frames }, now)
  const node = new NodeSocket(rpc, framesOf("pending"))
  const market = new MarketSocket(framesOf("clob-socket"))
  const feeds = new Map(
    (["rtds", "polybolt", "datastreams-socket", "sports"] as const).map((source) => [
      source,
      new Feed(framesOf(source)),
    ]),
  )

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const target = request.url ?? "/"
    const given = await text(request)
    const body: unknown = given === "" ? undefined : JSON.parse(given)
    if (target === paths.rpc) return send(response, 200, JSON.stringify(await rpc(body)))
    const source = answerSources.find((name) => target.startsWith(`${paths[name]}/`))
    if (source === undefined) return send(response, 404, "{}")
    const answer = answers.of(source, target.slice(paths[source].length), body)
    send(response, answer.status, answer.text)
  }

  const http = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => send(response, 400, JSON.stringify({ error: String(error) })))
  })
  const sockets = new WebSocketServer({ server: http })

  const receive = (client: WebSocket, path: string, message: string) => {
    if (/^ping$/i.test(message)) return client.send("PONG")
    if (path === paths.rpc) void node.received(client, fieldsOf(message))
    if (path === paths["clob-socket"]) market.received(client, fieldsOf(message))
    // A connection that comes after the recorded confirmation needs it too.
    if (path !== paths.polybolt || !message.includes('"auth"')) return
    const confirmation = feeds.get("polybolt")?.find(/"op"\s*:\s*"authed"/)
    if (confirmation !== undefined) client.send(confirmation)
  }

  sockets.on("connection", (client, request) => {
    const path = new URL(request.url ?? "/", "http://replay").pathname
    client.on("error", () => undefined)
    client.on("message", (data) => receive(client, path, String(data)))
    if (path === paths["clob-socket"]) market.add(client)
    for (const [source, feed] of feeds) if (path === paths[source]) feed.add(client)
  })

  /** Sends everything up to now. */
  const pump = () => {
    const at = now()
    node.announce(chain.advance(at))
    for (const part of [node, market, ...feeds.values()]) part.pump(at)
  }

  return { http, sockets, chain, pump }
}

export interface ReplayServer {
  readonly url: string
  readonly chain: RecordedChain
  readonly pump: () => void
}

/** Runs the server on a free port of this machine. */
export const replayServer = (options: ReplayServerOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof makeReplayServer> & { readonly timers: ReadonlyArray<NodeJS.Timeout> }>(
        (resume) => {
          const server = makeReplayServer(options)
          server.pump()
          const ping = () => {
            for (const client of server.sockets.clients) client.ping()
          }
          const timers = [setInterval(server.pump, pumpMillis), setInterval(ping, pingMillis)]
          server.http.listen(0, "127.0.0.1", () => resume(Effect.succeed({ ...server, timers })))
        },
      ),
      ({ http, sockets, timers }) =>
        Effect.callback<void>((resume) => {
          for (const timer of timers) clearInterval(timer)
          for (const client of sockets.clients) client.terminate()
          http.closeAllConnections()
          http.close(() => resume(Effect.void))
        }),
    ),
    ({ http, chain, pump }): ReplayServer => ({
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
      chain,
      pump,
    }),
  )
