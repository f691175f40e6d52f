import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { timeouts } from "#http/server/NodeServer.ts"
import { bodyOf, call, speak, statusOf } from "./support/client.ts"
import { boundPort, testServer } from "./support/server.ts"

const server = testServer({
  env: { HTTP_BODY_LIMIT: "4096" },
  timeouts: { ...timeouts, headers: 300, wholeRequest: 600, checkEvery: 50 },
}).pipe(Layer.provide(Logger.layer([])))

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const post = "POST /v1/test/items HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

layer(server, { excludeTestServices: true })("Hostile input", (it) => {
  it.effect.each([
    ["a broken request line", "HELLO\r\n\r\n", 400],
    ["an unknown method", "BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["a NUL in the address", "GET /v1/\0 HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["a NUL in a header", "GET /v1/test/logs HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n", 400],
    ["no Host", "GET /v1/test/logs HTTP/1.1\r\n\r\n", 400],
    ["an invalid percent-encoding", "GET /v3/test/things/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400],
    ["an encoded NUL", "GET /v3/test/things/%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400],
    ["huge headers", `GET / HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(40_000)}\r\n\r\n`, 431],
    ["a huge address", `GET /${"a".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ["two lengths", `${post}Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc`, 400],
    ["a length and chunks", `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ["a broken chunk", `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n`, 400],
    ["a huge declared body", `${post}Content-Length: 99999999999\r\n\r\n`, 413],
    ["a huge expected body", `${post}Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n`, 413],
    ["another expectation", "GET / HTTP/1.1\r\nHost: x\r\nExpect: cake\r\nConnection: close\r\n\r\n", 417],
    ["an absolute address", "GET http://a:b@x/nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404],
    ["a star", "GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404],
    ["an upgrade", "GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n", 404],
  ] as const)("is answered in JSON: %s", ([, bytes, status]) =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const heard = yield* speak(port, Buffer.from(bytes, "latin1"))
      assert.strictEqual(statusOf(heard), status, heard)
      assert.isString(bodyOf(heard).error)
      assert.match(heard, /x-request-id: [A-Za-z0-9._-]+/)
      assert.strictEqual((yield* call(port, "/v1/test/logs")).status, 200)
    }),
  )

  it.effect("a chunked body over the limit is refused before it is complete", () =>
    Effect.gen(function* () {
      const head = `${post}Transfer-Encoding: chunked\r\n\r\n`
      // The last chunk never comes: an answer proves that the server did not wait for it.
      const heard = yield* speak(yield* boundPort, head, chunk("x".repeat(3000)), chunk("y".repeat(3000)))
      assert.strictEqual(statusOf(heard), 413)
      assert.match(bodyOf(heard).error, /larger than the limit of 4096 bytes/)
      assert.match(heard, /connection: close/i)
    }),
  )

  it.effect("a chunked body over the limit is refused even if the handler reads none", () =>
    Effect.gen(function* () {
      const head = "GET /v1/test/logs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      const port = yield* boundPort
      yield* speak(port, head, ...Array.from({ length: 10 }, () => chunk("x".repeat(3000))))
      assert.strictEqual((yield* call(port, "/v1/test/logs")).status, 200)
    }),
  )

  it.effect.each([
    ["a body that comes late", `${post}Content-Length: 2\r\n`, "{}", 400],
    ["no body", "GET /v3/test/things/upgraded HTTP/1.1\r\nHost: x\r\n", "", 200],
  ] as const)("a request to upgrade is answered and ends its connection: %s", ([, head, body, status]) =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const socket = connect(port, "127.0.0.1")
      const heard = text(socket)
      socket.write(`${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
      yield* call(port, "/v1/test/logs")
      // What follows is lost in Node's parser: a client that waits for its answer would wait until the idle time is over.
      socket.write(`${body}HELLO\r\n\r\n`)
      const answers = yield* Effect.promise(() => heard)
      assert.strictEqual(statusOf(answers), status, answers)
      assert.match(answers, /connection: close/i)
      assert.lengthOf(answers.match(/HTTP\/1\.1/g) ?? [], 1)
    }),
  )

  it.effect("slowly sent headers time out", () =>
    Effect.gen(function* () {
      const heard = yield* speak(yield* boundPort, "GET /v1/test/logs HTTP/1.1\r\nHost: x\r\nA: b")
      assert.strictEqual(statusOf(heard), 408)
      assert.match(bodyOf(heard).error, /too long to arrive/)
    }),
  )

  it.effect("headers that keep coming, a byte at a time, time out as well", () =>
    Effect.gen(function* () {
      const socket = connect(yield* boundPort, "127.0.0.1")
      const heard = text(socket)
      socket.write("GET /v1/test/logs HTTP/1.1\r\nHost: x\r\n")
      const timer = setInterval(() => socket.write("a: b\r\n"), 20)
      socket.once("close", () => clearInterval(timer))
      assert.strictEqual(statusOf(yield* Effect.promise(() => heard)), 408)
    }),
  )

  it.effect("an endless body times out", () =>
    Effect.gen(function* () {
      const heard = yield* speak(yield* boundPort, `${post}Content-Length: 100\r\n\r\n{"name"`)
      assert.strictEqual(statusOf(heard), 408)
    }),
  )

  it.effect("a client that disconnects within its body affects no other request", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const gone = speak(port, `${post}Content-Length: 100\r\n\r\n{"name"`)
      yield* Effect.raceFirst(gone, call(port, "/v1/test/logs"))
      assert.strictEqual((yield* call(port, "/v1/test/logs")).status, 200)
    }),
  )
})
