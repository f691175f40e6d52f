import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { dayText } from "#src/domain/time.ts"
import { Keys } from "#src/keys/Keys.ts"
import { keys as keysOf } from "#src/mesh/Keys.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { endOfDay } from "#src/streams/access/ConnectedTime.ts"
import { SessionQuota } from "#src/streams/access/SessionQuota.ts"
import { call, speak } from "#test/http/support/client.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { connect, refusalOf } from "./support/client.ts"
import { gatewayPort, testGateway } from "./support/gateway.ts"
import { bareWire, frame, opcodes, openWire, upgradeRequest } from "./support/wire.ts"

const missing = "Missing or invalid API key. Use x-api-key header or ?key= param."
const wallet = `0x${"ab".repeat(20)}`
const filtered = { action: "subscribe", type: "fills", filters: { wallets: [wallet] } }

/** Sets an account's connected time of today, and of tomorrow in case midnight passes. */
const haveUsed = (account: string, millis: number) =>
  Effect.gen(function* () {
    const redis = yield* Redis
    const now = yield* Clock.currentTimeMillis
    for (const moment of [now, endOfDay(now)]) {
      yield* redis.run((client) => client.hset(keysOf(redis.prefix).session(account, dayText(moment)), "used", millis))
    }
  })

layer(testGateway(), { excludeTestServices: true })("Upgrades", (it) => {
  it.effect("are refused with the answers of REST and accepted with a valid key", () =>
    Effect.gen(function* () {
      const { key, id } = yield* keyOf("starter")
      for (const [path, status, error] of [
        ["/ws", 401, missing],
        ["/ws?key=nonsense", 401, missing],
        [`/ws?key=${key.slice(0, -1)}`, 401, missing],
        [`/ws?key=${key}&compress=gzip`, 400, `Parameter "compress" can only be zlib`],
        [`/ws?key=${key}&wallets=1`, 400, `Unknown parameter "wallets".`],
        [`/ws?key=${key}&last=`, 400, `Parameter "last"`],
        [`/nowhere?key=${key}`, 404, "Not found."],
        ["/", 404, "Not found."],
      ] as const) {
        const refused = yield* refusalOf(path)
        assert.strictEqual(refused.status, status, path)
        assert.include(refused.json.error, error, path)
      }
      yield* connect(key)
      const byHeader = yield* bareWire
      byHeader.write(upgradeRequest("/ws").replace("Host:", `x-api-key: ${key}\r\nHost:`))
      yield* eventually(
        "a key in a header is accepted",
        Effect.sync(() => byHeader.received.toString("latin1").startsWith("HTTP/1.1 101")),
      )
      // Browsers cannot set headers of a WebSocket, and a key must not be in a URL.
      const byProtocol = yield* bareWire
      byProtocol.write(
        upgradeRequest("/ws").replace("Host:", `Sec-WebSocket-Protocol: presage, presage-key.${key}\r\nHost:`),
      )
      yield* eventually(
        "a key offered as a protocol is accepted",
        Effect.sync(() => byProtocol.received.includes("\r\n\r\n")),
      )
      const answer = byProtocol.received.toString("latin1")
      assert.match(answer, /^HTTP\/1.1 101/)
      assert.match(answer, /sec-websocket-protocol: presage\r\n/i)
      assert.notInclude(answer, key)
      const among = yield* bareWire
      const offered = `Sec-WebSocket-Protocol: other, Presage-Key.${key}, presage`
      among.write(upgradeRequest("/ws").replace("Host:", `${offered}\r\nHost:`))
      yield* eventually(
        "ours is chosen among other protocols",
        Effect.sync(() => among.received.includes("\r\n\r\n")),
      )
      assert.match(among.received.toString("latin1"), /sec-websocket-protocol: presage\r\n/i)
      assert.notInclude(among.received.toString("latin1"), key)
      yield* (yield* Keys).revoke(id)
      yield* eventually(
        "a revoked key is refused",
        Effect.map(
          refusalOf(`/ws?key=${key}`),
          ({ status, json }) => status === 403 && json.error === "Invalid or inactive API key.",
        ),
      )
    }),
  )

  it.effect("plain HTTP requests are answered with a hint", () =>
    Effect.gen(function* () {
      const port = yield* gatewayPort
      for (const method of ["GET", "POST"]) {
        const plain = yield* call(port, "/ws?key=1", { method })
        assert.deepStrictEqual([plain.status, plain.headers["upgrade"]], [426, "websocket"])
        assert.strictEqual(plain.json.error, "This endpoint requires a WebSocket connection.")
      }
      assert.strictEqual((yield* call(port, "/healthz")).status, 200)
      assert.strictEqual((yield* call(port, "/v1/status")).status, 404)
    }),
  )

  it.effect("broken, truncated or unfinished requests do not disturb the gateway", () =>
    Effect.gen(function* () {
      const port = yield* gatewayPort
      const { key } = yield* keyOf("starter")
      const request = upgradeRequest(`/ws?key=${key}`)
      for (let length = 1; length < request.length; length += 7) {
        const wire = yield* bareWire
        wire.write(request.slice(0, length))
        if (length % 2 === 0) wire.socket.end()
        else if (length % 3 === 0) wire.socket.resetAndDestroy()
      }
      // Closed before the key has been checked.
      for (let count = 0; count < 50; count++) {
        const wire = yield* bareWire
        wire.socket.write(request, () => wire.socket.resetAndDestroy())
      }
      const broken = [
        "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n",
        "GARBAGE\r\n\r\n",
        "GET /ws?%zz%00 HTTP/1.1\r\nHost: x\r\n\r\n",
        `GET /ws?key=${"a".repeat(10_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
      ]
      for (const each of broken) yield* Effect.timeoutOption(speak(port, each), "200 millis")
      const client = yield* connect(key)
      assert.isNumber((yield* client.request({ action: "ping" }, "pong"))["ts"])
    }),
  )

  it.effect("a close is answered with the same code", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const wire = yield* openWire(key)
      wire.write(frame(opcodes.close, Buffer.from([0x03, 0xe8])))
      yield* eventually(
        "closed",
        Effect.sync(() => wire.isClosed),
      )
      assert.deepStrictEqual([...wire.received], [0x88, 2, 0x03, 0xe8])
    }),
  )

  it.effect("revoking a key closes its connections and no others", () =>
    Effect.gen(function* () {
      const { key, id } = yield* keyOf("growth")
      const other = yield* connect((yield* keyOf("growth")).key)
      const [one, two] = [yield* connect(key), yield* connect(key)]
      yield* one.request(filtered, "subscribed")
      yield* (yield* Keys).revoke(id)
      for (const client of [one, two]) {
        assert.strictEqual((yield* client.ended).code, 4003)
        const [closing] = client.of("closing")
        assert.deepStrictEqual([closing?.["code"], closing?.["reason"]], [4003, client.closed?.reason])
      }
      yield* other.request({ action: "ping" }, "pong")
    }),
  )

  it.effect("the free plan is limited to one connection per kind, filtered subscriptions and its daily time", () =>
    Effect.gen(function* () {
      const { key, account } = yield* keyOf("free")
      const first = yield* connect(key)
      yield* first.request(filtered, "subscribed")
      yield* first.request(filtered, "subscribed")
      const firehose = yield* first.request({ action: "subscribe", type: "fills" }, "error")
      assert.strictEqual(firehose["code"], "firehose_limit")
      assert.include(firehose["message"], "no unfiltered subscriptions")
      // A low-volume stream is no firehose.
      yield* first.request({ action: "subscribe", type: "blocks" }, "subscribed")

      const second = yield* connect(key)
      const refused = yield* second.request(filtered, "error")
      assert.strictEqual(refused["code"], "connection_limit")
      first.close()
      yield* first.ended
      yield* eventually(
        "the connection is free again",
        Effect.map(
          second.request(filtered, "subscribed").pipe(Effect.timeoutOption("300 millis")),
          (_) => _._tag === "Some",
        ),
      )

      const sessionQuota = yield* SessionQuota
      yield* haveUsed(account, 3_600_000 - 200_000)
      yield* sessionQuota.tick
      const warning = yield* second.nextOf("warning")
      assert.strictEqual(warning["code"], "session_ending")
      assert.isAtMost(warning["left_ms"], 200_000)
      yield* haveUsed(account, 3_600_000)
      yield* sessionQuota.tick
      assert.strictEqual((yield* second.ended).code, 4001)
      assert.isAbove(second.of("closing")[0]?.["retry_after_ms"], 0)
      const over = yield* refusalOf(`/ws?key=${key}`)
      assert.strictEqual(over.status, 429)
      assert.deepInclude(over.json, { scope: "ws_session", limit: 3600 })
      assert.isAbove(Number(over.headers["retry-after"]), 0)
    }),
  )
})

layer(testGateway(), { excludeTestServices: true })("Gateway shutdown", (it) => {
  it.effect("clients get different times to reconnect, and new connections are refused", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const clients = yield* Effect.forEach(Array.from({ length: 20 }), () => connect(key), { concurrency: 10 })
      yield* Effect.forEach(clients, (client) => client.request(filtered, "subscribed"), { concurrency: 10 })
      yield* (yield* Shutdown).begin
      const waits = yield* Effect.forEach(clients, (client) =>
        Effect.map(client.ended, ({ code, reason }) => {
          const last = client.received.at(-1)
          assert.deepStrictEqual([code, last?.["type"], last?.["reason"]], [1001, "closing", reason])
          return last?.["retry_after_ms"]
        }),
      )
      for (const wait of waits) assert.isTrue(Number.isInteger(wait) && wait >= 0 && wait <= 5000, `${wait}`)
      assert.isAbove(new Set(waits).size, 10)
      assert.strictEqual((yield* Effect.result(refusalOf("/ws")))._tag, "Failure")
    }),
  )
})
