import { App, us_socket_local_port } from "uws-pack"
import { expose } from "../support/expose.ts"
import type { StreamServer } from "../support/streams.ts"

/** Bare uWebSockets: one topic with all clients and prepared bytes. The upper limit for fan-out. */
const app = App()
app.ws("/ws", {
  maxBackpressure: 64 * 1024 * 1024,
  open: (ws) => {
    ws.subscribe("all")
    ws.send('{"type":"subscribed"}', false)
  },
})

const perTurn = 1000
let seq = 0

expose<StreamServer>({
  listen: () =>
    new Promise((resolve) => {
      app.listen("127.0.0.1", 0, (socket) => resolve({ port: us_socket_local_port(socket as never), path: "/ws" }))
    }),
  publish: async (count, frame) => {
    for (let sent = 0; sent < count; sent++) {
      app.publish("all", frame.replace(/"seq":\d+/, `"seq":${++seq}`), false)
      if (sent % perTurn === perTurn - 1) await new Promise((resolve) => setImmediate(resolve))
    }
  },
})
