import { App, us_socket_local_port } from "uws-pack"
import { answerAs } from "../support/answerAs.ts"
import type { StreamServer } from "../support/streams.ts"

/** Bare uWebSockets: one topic, everybody in it, and the bytes are ready. The limit of what fan-out can be here. */
const app = App()
app.ws("/ws", {
  maxBackpressure: 64 * 1024 * 1024,
  open: (ws) => {
    ws.subscribe("all")
    ws.send('{"type":"subscribed"}', false)
  },
})

const atOnce = 1000
let seq = 0

answerAs<StreamServer>({
  listen: () =>
    new Promise((resolve) => {
      app.listen("127.0.0.1", 0, (socket) => resolve({ port: us_socket_local_port(socket as never), path: "/ws" }))
    }),
  tell: async (count, frame) => {
    for (let told = 0; told < count; told++) {
      app.publish("all", frame.replace(/"seq":\d+/, `"seq":${++seq}`), false)
      if (told % atOnce === atOnce - 1) await new Promise((resolve) => setImmediate(resolve))
    }
  },
})
