import { deflateRawSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { speak } from "#test/http/support/client.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { connect, refusalOf } from "./support/client.ts"
import { gatewayPort, testGateway } from "./support/gateway.ts"
import { bareWire, frame, opcodes, openWire, upgradeRequest, type Wire } from "./support/wire.ts"

const maxMessage = 65_536

const get = "GET /healthz HTTP/1.1\r\n"
/** Hidden in a body, where a proxy in front may see it, or where it may end a body sooner than we do. */
const hidden = "GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

const answersIn = (heard: string) => heard.match(/HTTP\/1\.1 \d{3}/g) ?? []

const closed = (wire: Wire) =>
  eventually(
    "the connection is closed",
    Effect.sync(() => wire.isClosed),
  )

/** Writes a byte ten times a second until the connection ends. */
const trickle = (wire: Wire, text: string) => {
  let at = 0
  const timer = setInterval(() => wire.write(text[at++ % text.length] ?? ""), 100)
  wire.socket.once("close", () => clearInterval(timer))
}

layer(testGateway({ "ws.max-message": String(maxMessage) }), { excludeTestServices: true })("Hostile bytes", (it) => {
  it.effect.each([
    ["a length and chunks", "Content-Length: 6\r\nTransfer-Encoding: chunked", "0\r\n\r\n"],
    ["chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 6", "0\r\n\r\n"],
    ["chunks", "Transfer-Encoding: chunked", "0\r\n\r\n"],
    ["another encoding", "Transfer-Encoding: xchunked", "0\r\n\r\n"],
    ["an encoding after chunks", "Transfer-Encoding: chunked, identity", "0\r\n\r\n"],
    ["two encodings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n"],
    ["a length", "Content-Length: 5", "hello"],
    ["a length with a sign", "Content-Length: +5", "hello"],
    ["a negative length", "Content-Length: -5", "hello"],
    ["a hexadecimal length", "Content-Length: 0x5", "hello"],
    ["a length twice on a line", "Content-Length: 5, 5", "hello"],
    ["a length twice", "Content-Length: 5\r\nContent-Length: 5", "hello"],
    ["no length and a longer one", "Content-Length: 0\r\nContent-Length: 58", ""],
    ["an empty length", "Content-Length: ", ""],
    ["a length beyond 64 bits", "Content-Length: 18446744073709551621", "hello"],
    ["two hosts", "Host: y", ""],
  ] as const)("an ambiguous request is refused, and what it hides is never answered: %s", ([, headers, body]) =>
    Effect.gen(function* () {
      const port = yield* gatewayPort
      const upgrade = upgradeRequest("/ws").trimEnd()
      for (const start of ["GET /healthz HTTP/1.1\r\nHost: x", "POST /nowhere HTTP/1.1\r\nHost: x", upgrade]) {
        const request = `${start}\r\n${headers}\r\n\r\n${body}`
        assert.deepStrictEqual(answersIn(yield* speak(port, request)), ["HTTP/1.1 400"], request)
        const heard = yield* speak(port, `${request}${hidden}`)
        assert.isAtMost(answersIn(heard).length, 1, heard)
        assert.notMatch(heard, /HTTP\/1\.1 (101|200)/)
      }
    }),
  )

  it.effect.each([
    ["line feeds only", "GET /healthz HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello", 505],
    ["HTTP/1.0", `GET /healthz HTTP/1.0\r\n\r\n${hidden}`, 505],
    ["HTTP/2.0", `GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n${hidden}`, 505],
    ["a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 505],
    ["a huge header", `${get}Host: x\r\nA: ${"a".repeat(40_000)}\r\n\r\n`, 431],
    ["many headers", `${get}Host: x\r\n${"a: b\r\n".repeat(500)}\r\n`, 431],
    ["a huge address", `GET /${"a".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ] as const)("is refused at once, and what follows is never read: %s", ([, bytes, status]) =>
    Effect.gen(function* () {
      const heard = yield* speak(yield* gatewayPort, Buffer.from(bytes, "latin1"))
      assert.deepStrictEqual(answersIn(heard), [`HTTP/1.1 ${status}`], heard)
    }),
  )

  it.effect("heads that never end are cut off, however they arrive, while others are served", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const startedAt = performance.now()
      const endless = [
        "",
        "GET",
        `${get}Host: x\r\nA: b`,
        `${get}A : b\r\nHost: x\r\n\r\n${hidden}`,
        `${get}X: y\r\n Transfer-Encoding: chunked\r\nHost: x\r\n\r\n${hidden}`,
        `${get}Content-Length\0: 5\r\nHost: x\r\n\r\n${hidden}`,
        `${get}X: y\rContent-Length: 5\r\nHost: x\r\n\r\n${hidden}`,
        upgradeRequest(`/ws?key=${key}`).slice(0, -2),
      ]
      const wires = yield* Effect.forEach(endless, (bytes) =>
        Effect.tap(bareWire, (wire) => Effect.sync(() => wire.write(bytes))),
      )
      const slow = yield* bareWire
      trickle(slow, `${get}Host: x\r\n${"A: b\r\n".repeat(100)}`)
      const client = yield* connect(key)
      yield* client.request({ action: "ping" }, "pong")
      for (const wire of [...wires, slow]) {
        yield* closed(wire)
        assert.notMatch(wire.received.toString("latin1"), /HTTP\/1\.1 (101|200)/)
      }
      // Ten seconds, counted in steps of four.
      assert.isBelow(performance.now() - startedAt, 60_000)
      yield* client.request({ action: "ping" }, "pong")
    }),
  )

  it.effect("compression is not agreed on, so a compressed frame ends the connection and is never unpacked", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const bomb = deflateRawSync(Buffer.alloc(50_000_000))
      const asking = yield* bareWire
      const offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
      asking.write(upgradeRequest(`/ws?key=${key}`).replace("Host:", `${offer}Host:`))
      yield* eventually(
        "the upgrade",
        Effect.sync(() => asking.received.includes("\r\n\r\n")),
      )
      const answer = asking.received.toString("latin1")
      assert.match(answer, /^HTTP\/1\.1 101/)
      assert.notMatch(answer, /sec-websocket-extensions/i)
      for (const opcode of [opcodes.text, opcodes.binary]) {
        const wire = yield* openWire(key)
        wire.write(frame(opcode, bomb.subarray(0, 40_000), { reserved: 4 }))
        yield* closed(wire)
      }
      const client = yield* connect(key)
      const refused = yield* client.request(bomb.subarray(0, 40_000), "error")
      assert.strictEqual(refused["code"], "invalid_message")
    }),
  )

  it.effect("no message can be larger than allowed: at once, declared or in endless parts", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const client = yield* connect(key)
      client.send(" ".repeat(maxMessage + 1))
      assert.strictEqual((yield* client.ended).code, 1009)
      const declared = yield* openWire(key)
      declared.write(Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]))
      yield* closed(declared)
      const endless = yield* openWire(key)
      const part = " ".repeat(30_000)
      endless.write(frame(opcodes.text, part, { isLast: false }))
      for (let i = 0; i < 10; i++) endless.write(frame(opcodes.continuation, part, { isLast: false }))
      yield* closed(endless)
      const pings = yield* openWire(key)
      pings.write(frame(opcodes.ping, "x".repeat(126)))
      yield* closed(pings)
      yield* (yield* connect(key)).request({ action: "ping" }, "pong")
    }),
  )
})

layer(testGateway({ "limits.unauthenticated-per-minute": "20" }), { excludeTestServices: true })(
  "A client that guesses keys",
  (it) => {
    it.effect("is limited by its own address, whatever it says about it", () =>
      Effect.gen(function* () {
        const names = ["x-forwarded-for", "forwarded", "x-real-ip", "x-client-ip", "cf-connecting-ip"]
        const statuses = yield* Effect.forEach(Array.from({ length: 40 }), (_, i) =>
          Effect.map(
            refusalOf("/ws?key=nonsense", { [names[i % names.length] ?? ""]: `192.0.2.${i}, 203.0.113.${i}` }),
            ({ status }) => status,
          ),
        )
        assert.deepStrictEqual([...new Set(statuses)], [401, 429])
        assert.isAtMost(statuses.filter((status) => status === 401).length, 20)
      }),
    )
  },
)
