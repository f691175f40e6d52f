import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Queue } from "effect"
import { timeouts } from "#http/server/NodeServer.ts"
import { eventually } from "#test/support/eventually.ts"
import { call } from "./support/client.ts"
import { largeAnswer } from "./support/largeAnswer.ts"
import { boundPort, testServer } from "./support/server.ts"
import { SlowRequests } from "./support/TestApi.ts"

const { large, largeRoute } = largeAnswer()

const server = testServer({ routes: largeRoute, timeouts: { ...timeouts, unread: 300 } }).pipe(
  Layer.provide(Logger.layer([])),
)

layer(server, { excludeTestServices: true })("Answers that clients do not read", (it) => {
  it.effect("are given up after a while, but a request whose answer takes as long is not", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const { arrived, latch } = yield* SlowRequests
      const slow = yield* Effect.forkChild(call(port, "/v1/test/slow"))
      yield* Queue.take(arrived)
      const unread = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const socket = connect(port, "127.0.0.1")
              .on("error", () => {})
              .pause()
            socket.write("GET /v1/test/large HTTP/1.1\r\nHost: x\r\n\r\n")
            return socket
          }),
          (socket) => Effect.sync(() => socket.destroy()),
        ),
      )
      yield* eventually(
        "all are given up",
        Effect.sync(() => large.ended === unread.length),
      )
      assert.strictEqual(large.started, unread.length)
      yield* latch.open
      assert.strictEqual((yield* Fiber.join(slow)).status, 200)
    }).pipe(Effect.scoped),
  )
})
