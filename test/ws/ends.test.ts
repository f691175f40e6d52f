import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { type Client, connect } from "./support/client.ts"
import { metric, testGateway } from "./support/gateway.ts"
import { frame, opcodes, openWire, type Wire } from "./support/wire.ts"

const maxMessage = 4_096
const endings = (reason: string) => metric("presage_ws_ended_total", { reason })

/** Ends a connection and waits until the end is counted. */
const counts = <R>(reason: string, end: Effect.Effect<unknown, never, R>) =>
  Effect.gen(function* () {
    const before = yield* endings(reason)
    yield* end
    yield* eventually(
      `an end of a connection is counted as ${reason}`,
      Effect.map(endings(reason), (now) => now === before + 1),
    )
  })

const countsClient = (reason: string, key: string, end: (client: Client) => void) =>
  counts(
    reason,
    Effect.map(connect(key), (client) => end(client)),
  )

const countsWire = (reason: string, key: string, end: (wire: Wire) => void) =>
  counts(
    reason,
    Effect.map(openWire(key), (wire) => end(wire)),
  )

layer(testGateway({ "ws.max-message": String(maxMessage) }), { excludeTestServices: true })(
  "The end of a connection",
  (it) => {
    it.effect("is counted with its reason", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("growth")
        yield* countsClient("client", key, (client) => client.close())
        yield* countsWire("lost", key, ({ socket }) => socket.end())
        yield* countsWire("dropped", key, ({ socket }) => socket.resetAndDestroy())
        yield* countsWire("invalidFrame", key, (wire) => wire.write(frame(opcodes.text, "{}", { reserved: 7 })))
        yield* countsWire("invalidFrame", key, (wire) => wire.write(frame(opcodes.text, Buffer.from([0xff, 0xfe]))))
        yield* countsWire("tooBig", key, (wire) => wire.write(frame(opcodes.text, "x".repeat(maxMessage * 3))))
      }),
    )

    it.effect("tells the client that its message was too big", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("growth")
        const client = yield* connect(key)
        yield* counts(
          "tooBig",
          Effect.sync(() => client.send("x".repeat(maxMessage + 1))),
        )
        const { code, reason } = yield* client.ended
        assert.strictEqual(code, 1009)
        assert.include(reason, "ws.max-message")
        assert.strictEqual(client.of("closing")[0]?.["code"], 1009)
        const other = yield* connect(key)
        yield* other.request({ action: "ping" }, "pong")
      }),
    )
  },
)
