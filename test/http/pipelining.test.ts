import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { IncomingMessage } from "node:http"
import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Queue } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { eventually } from "#test/support/eventually.ts"
import { patience } from "#test/support/patience.ts"
import { call } from "./support/client.ts"
import { largeAnswer } from "./support/largeAnswer.ts"
import { boundPort, testServer } from "./support/server.ts"
import { SlowRequests } from "./support/TestApi.ts"

const { large, largeRoute } = largeAnswer()

const stopped = { count: 0 }
const stoppableRoute = HttpRouter.add(
  "GET",
  "/v1/test/stoppable",
  Effect.flatMap(SlowRequests, ({ arrived }) =>
    Queue.offer(arrived, undefined).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Effect.sync(() => stopped.count++)),
      Effect.as(HttpServerResponse.empty()),
    ),
  ),
)

const server = testServer({ routes: Layer.mergeAll(largeRoute, stoppableRoute) }).pipe(Layer.provide(Logger.layer([])))

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** A connection that has sent these requests at once and reads nothing until `resume`. */
const pipelining = (port: number, requests: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect(port, "127.0.0.1")
      socket.pause()
      socket.on("error", () => {})
      socket.write(requests.join(""))
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy()),
  )

/** Lets the server take several turns, in which it would start whatever it has read. */
const turns = (port: number, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => call(port, "/v1/test/logs"), { discard: true })

/** Counts the requests that Node's parser hands over. */
const parsedRequests = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const parsed = { count: 0 }
      const onRequest = (message: unknown) => {
        if ((message as { request: IncomingMessage }).request.url?.startsWith(path)) parsed.count++
      }
      subscribe("http.server.request.start", onRequest)
      return { parsed, onRequest }
    }),
    ({ onRequest }) => Effect.sync(() => unsubscribe("http.server.request.start", onRequest)),
  )

layer(server, { excludeTestServices: true })("Pipelined requests", (it) => {
  it.effect("answers that a client never reads are made one at a time, and forgotten when it leaves", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const socket = yield* pipelining(port, Array(190).fill(get("/v1/test/large")))
      yield* eventually(
        "the first answer is made",
        Effect.sync(() => large.started > 0),
      )
      yield* turns(port, 10)
      assert.deepStrictEqual(large, { started: 1, ended: 0 })
      socket.destroy()
      yield* eventually(
        "the request ends",
        Effect.sync(() => large.ended === large.started),
      )
      yield* turns(port, 10)
      assert.deepStrictEqual(large, { started: 1, ended: 1 })
    }).pipe(Effect.scoped),
  )

  it.effect("a client that leaves stops the request in progress, and those behind it never start", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const { arrived } = yield* SlowRequests
      const socket = yield* pipelining(port, Array(4).fill(get("/v1/test/stoppable")))
      yield* Queue.take(arrived)
      socket.destroy()
      yield* eventually(
        "the handler is interrupted",
        Effect.sync(() => stopped.count > 0),
      )
      yield* turns(port, 10)
      assert.strictEqual(stopped.count, 1)
      assert.strictEqual(yield* Queue.size(arrived), 0)
    }).pipe(Effect.scoped),
  )

  it.effect("few are read ahead of a slow answer, and all are answered in order", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const { arrived, latch } = yield* SlowRequests
      const { parsed } = yield* parsedRequests("/v3/test/things/")
      const names = Array.from({ length: 3000 }, (_, n) => `number-${n}`)
      const things = names.map((name) => get(`/v3/test/things/${name}`))
      const socket = yield* pipelining(port, [get("/v1/test/slow"), ...things])
      yield* Queue.take(arrived)
      yield* turns(port, 50)
      // Up to the 64 that may wait, and what one read of 64 KB adds.
      assert.isBelow(parsed.count, 64 + 65_536 / get("/v3/test/things/number-0").length)
      yield* latch.open
      const heard = yield* Effect.callback<string>((resume) => {
        const parts: Array<string> = []
        socket.on("data", (part) => {
          parts.push(part.toString("latin1"))
          if (part.includes(`"seen":"${names.at(-1)}"`)) resume(Effect.succeed(parts.join("")))
        })
        socket.on("close", () => resume(Effect.succeed(parts.join(""))))
        socket.resume()
      }).pipe(Effect.timeout(patience))
      const seen = Array.from(heard.matchAll(/"seen":"([^"]+)"/g), ([, name]) => name)
      assert.deepStrictEqual(seen, ["slow", ...names])
    }).pipe(Effect.scoped),
  )
})
