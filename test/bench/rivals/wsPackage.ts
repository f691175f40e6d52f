import type { AddressInfo } from "node:net"
import WebSocket, { WebSocketServer } from "ws"
import { answerAs } from "../support/answerAs.ts"
import type { StreamServer } from "../support/streams.ts"

let server: WebSocketServer
const atOnce = 100
let seq = 0

/** A broadcast as the documentation of `ws` shows it. */
const broadcast = (data: string) => {
  for (const client of server.clients) if (client.readyState === WebSocket.OPEN) client.send(data)
}

answerAs<StreamServer>({
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
  tell: async (count, frame) => {
    for (let told = 0; told < count; told++) {
      broadcast(frame.replace(/"seq":\d+/, `"seq":${++seq}`))
      if (told % atOnce === atOnce - 1) await new Promise((resolve) => setImmediate(resolve))
    }
  },
})
