import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { App, us_socket_local_port } from "uws-pack"
import { WebSocket } from "ws"
import { holdResponse } from "#ws/server/heldResponse.ts"

const sockets = 50

/** Allocates memory of many sizes, with the bits that uWebSockets takes for a response to be closed. */
const fillFreedMemory = () => Array.from({ length: 40 }, (_, i) => Buffer.allocUnsafeSlow(8 * (i + 1)).fill(0xf7))

/** A server that upgrades asynchronously and allocates while it does. Nine in ten sockets are cut without a held response. */
const allocatingServer = Effect.gen(function* () {
  const app = App()
  const held = holdResponse(app)
  app.ws("/", {
    upgrade: (response, request, context) => {
      response.onAborted(() => {})
      const key = request.getHeader("sec-websocket-key")
      setImmediate(() => held.upgrade(response, () => response.upgrade({}, key, "", "", context)))
    },
    open: () => void fillFreedMemory(),
    message: (ws, message, isBinary) => void ws.send(message, isBinary),
  })
  const listening = yield* Effect.callback<Parameters<typeof us_socket_local_port>[0]>((resume) => {
    app.listen("127.0.0.1", 0, (socket) => resume(Effect.succeed(socket as never)))
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => app.close()))
  return { held, port: us_socket_local_port(listening) }
})

/** Whether a socket answers after it was opened. */
const echoes = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { perMessageDeflate: false })
    socket.on("open", () => socket.send("echo"))
    socket.on("message", () => socket.close())
    socket.on("close", (code) => resume(Effect.succeed(code === 1005)))
  })

const echoing = (port: number) =>
  Effect.map(
    Effect.all(
      Array.from({ length: sockets }, () => echoes(port)),
      { concurrency: 10 },
    ),
    (all) => all.filter((isEchoed) => isEchoed).length,
  )

it.live("sockets stay open, whatever is allocated while they are opened", () =>
  Effect.gen(function* () {
    const { held, port } = yield* allocatingServer
    yield* held.connect("127.0.0.1", port)
    assert.strictEqual(yield* echoing(port), sockets)
  }),
)
