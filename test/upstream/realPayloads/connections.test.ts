import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Option, Stream } from "effect"
import { WebSocketServer } from "ws"
import { version } from "#src/platform/process/version.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { socketMessages } from "#src/upstream/socket.ts"
import { readPause } from "#src/upstream/UpstreamFailure.ts"
import { testConfiguration } from "#test/support/TestStores.ts"

const client = (flags: Record<string, string> = {}) =>
  UpstreamHttp.layer.pipe(Layer.provideMerge(testConfiguration(flags)), Layer.orDie)

const serving = (respond: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(respond)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close()),
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )

describe("Requests to upstreams", () => {
  it.live("name the client, ask for compression and read what comes compressed", () =>
    Effect.gen(function* () {
      const rows = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, slug: `market-${id}` })))
      const seen: Array<IncomingMessage["headers"]> = []
      const url = yield* serving((request, response) => {
        seen.push(request.headers)
        const encode = { "/gzip": gzipSync, "/br": brotliCompressSync }[request.url ?? ""]
        if (encode !== undefined) response.setHeader("content-encoding", (request.url ?? "").slice(1))
        response.end(encode === undefined ? rows : encode(rows))
      })
      const texts = yield* UpstreamHttp.use((http) =>
        Effect.forEach(["/gzip", "/br", "/plain"], (path) => http.text("gamma", { url: `${url}${path}` })),
      ).pipe(Effect.provide(client()))
      assert.deepStrictEqual(texts, [rows, rows, rows])
      for (const headers of seen) {
        assert.strictEqual(headers["user-agent"], `presage/${version}`)
        assert.strictEqual(headers["accept-encoding"], "gzip, br")
      }
    }).pipe(Effect.scoped),
  )

  it.live("that are compressed still have a largest size", () =>
    Effect.gen(function* () {
      const url = yield* serving((_, response) => {
        response.setHeader("content-encoding", "gzip")
        response.end(gzipSync(Buffer.alloc(2 * 1024 * 1024)))
      })
      const failure = yield* UpstreamHttp.use((http) => http.text("gamma", { url })).pipe(
        Effect.provide(client({ "upstream.answer-limit": "1" })),
        Effect.flip,
      )
      assert.strictEqual(failure.reason, "too-large")
    }).pipe(Effect.scoped),
  )

  it("B11: a rate limit without retry-after waits for x-rate-limit-reset", () => {
    const now = Date.UTC(2026, 9, 1)
    const pause = (headers: Record<string, string>) =>
      Option.getOrUndefined(Option.map(readPause(headers, now), Duration.toSeconds))
    assert.strictEqual(pause({ "x-rate-limit-reset": String(now / 1000 + 90) }), 90)
    assert.strictEqual(pause({ "x-rate-limit-reset": String(now / 1000 - 90) }), 0)
    assert.strictEqual(pause({ "x-rate-limit-reset": String(now / 1000 + 90), "retry-after": "7" }), 7)
    assert.isUndefined(pause({ "x-rate-limit-reset": "soon" }))
    assert.isUndefined(pause({}))
  })
})

describe("The score socket", () => {
  it.live("A2: protocol pings keep a connection without scores open", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.callback<WebSocketServer>((resume) => {
          const opened = new WebSocketServer({ port: 0, host: "127.0.0.1" })
          opened.once("listening", () => resume(Effect.succeed(opened)))
        }),
        (opened) => Effect.sync(() => opened.close()),
      )
      const pinged = yield* Deferred.make<void>()
      server.on("connection", (socket) => {
        let pings = 0
        const timer = setInterval(() => {
          socket.ping()
          pings += 1
          if (pings === 30) Deferred.doneUnsafe(pinged, Effect.void)
        }, 100)
        socket.on("close", () => clearInterval(timer))
      })
      const messages = (pingsAreData: boolean) =>
        Stream.runDrain(
          socketMessages({
            upstream: "sports",
            url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
            silentAfter: "1500 millis",
            pingsAreData,
          }),
        )
      const alive = yield* Effect.forkChild(messages(true))
      // Twice the time after which silence would count.
      yield* Deferred.await(pinged)
      assert.isUndefined(alive.pollUnsafe())
      yield* Fiber.interrupt(alive)
      assert.strictEqual((yield* Effect.flip(messages(false))).reason, "silent")
    }).pipe(Effect.scoped),
  )
})
