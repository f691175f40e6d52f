import { connect, type Socket } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Queue, Schedule } from "effect"
import { timeouts } from "#http/server/NodeServer.ts"
import { eventually } from "#test/support/eventually.ts"
import { call } from "./support/client.ts"
import { largeAnswer, largeBody } from "./support/largeAnswer.ts"
import { boundPort, testServer } from "./support/server.ts"
import { SlowRequests } from "./support/TestApi.ts"

const quiet = Layer.provide(Logger.layer([]))

/** Asks for the large answer, and reads nothing by itself. */
const askForLarge = (port: number) =>
  Effect.acquireRelease(
    Effect.sync((): Socket => {
      const socket = connect(port, "127.0.0.1")
        .on("error", () => {})
        .pause()
      socket.write("GET /v1/test/large HTTP/1.1\r\nHost: x\r\n\r\n")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy()),
  )

const unread = largeAnswer()
const impatient = testServer({ routes: unread.largeRoute, timeouts: { ...timeouts, unread: 300 } }).pipe(quiet)

layer(impatient, { excludeTestServices: true })("Answers that clients do not read", (it) => {
  it.effect("are given up after a while, but a request whose answer takes as long is not", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const { arrived, latch } = yield* SlowRequests
      const slow = yield* Effect.forkChild(call(port, "/v1/test/slow"))
      yield* Queue.take(arrived)
      const sockets = yield* Effect.forEach(Array.from({ length: 20 }), () => askForLarge(port))
      yield* eventually(
        "all are given up",
        Effect.sync(() => unread.large.ended === sockets.length),
      )
      assert.strictEqual(unread.large.started, sockets.length)
      yield* latch.open
      assert.strictEqual((yield* Fiber.join(slow)).status, 200)
    }).pipe(Effect.scoped),
  )
})

const trickled = largeAnswer()
/** The client below reads about 3 MB a second, because the kernel does not pass on smaller progress. */
const expectsMore = testServer({
  routes: trickled.largeRoute,
  timeouts: { ...timeouts, unread: 1000, leastRead: 16 * 2 ** 20 },
}).pipe(quiet)

layer(expectsMore, { excludeTestServices: true })("Answers that clients read too slowly", (it) => {
  it.effect("are given up although the client is never silent", () =>
    Effect.gen(function* () {
      const socket = yield* askForLarge(yield* boundPort)
      const read = Effect.sync(() => socket.read()).pipe(Effect.repeat(Schedule.spaced("20 millis")))
      yield* Effect.forkScoped(read)
      yield* eventually(
        "it is given up",
        Effect.sync(() => trickled.large.ended === 1),
      )
      assert.strictEqual(trickled.large.started, 1)
      // The kernel keeps a few MB of an answer that was sent as a whole.
      assert.isBelow(socket.bytesRead, largeBody.length / 2)
    }).pipe(Effect.scoped),
  )
})
