import type { AddressInfo } from "node:net"
import WebSocket, { WebSocketServer } from "ws"
import { expose } from "../support/expose.ts"
import type { StreamServer } from "../support/streams.ts"

let server: WebSocketServer
const perTurn = 100
let seq = 0

/** A broadcast as in the documentation of `ws`. */
const broadcast = (data: string) => {
  for (const client of server.clients) if (client.readyState === WebSocket.OPEN) client.send(data)
}

expose<StreamServer>({
  listen: () =>
    new Promise((resolve) => {
      server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/ws" }, () =>
        resolve({ port: (server.address() as AddressInfo).port, path: "/ws" }),
      )
      server.on("connection", (client) => {
        client.on("error", () => undefined)
        client.send('{"type":"subscribed"}')
      })
    }),
  publish: async (count, frame) => {
    for (let sent = 0; sent < count; sent++) {
      broadcast(frame.replace(/"seq":\d+/, `"seq":${++seq}`))
      if (sent % perTurn === perTurn - 1) await new Promise((resolve) => setImmediate(resolve))
    }
  },
})
