import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { assertDocumented } from "./support/assertDocumented.ts"
import { connect } from "./support/client.ts"
import { metric, testGateway } from "./support/gateway.ts"
import { listMarkets, tokenOf } from "./support/markets.ts"
import { frame, opcodes, openWire } from "./support/wire.ts"

const wallets = (count: number) => Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(40, "0")}`)
const subscribe = (rest: object) => ({ action: "subscribe", type: "fills", ...rest })
const filters = (rest: object) => subscribe({ filters: rest })

const bad: ReadonlyArray<readonly [message: object | string | Uint8Array, code: string, text: string]> = [
  ['{"action":"ping"', "invalid_json", "not JSON"],
  ["", "invalid_json", "not JSON"],
  ["\u0000", "invalid_json", "not JSON"],
  ["[".repeat(100_000), "input_too_large", "at most 16 levels of objects and lists"],
  [`{"action":"ping"${',"x":1'.repeat(2_000)}}`, "input_too_large", "at most 1000 fields"],
  ["null", "invalid_message", "a message is an object"],
  ["[1]", "invalid_message", "a message is an object"],
  ["7", "invalid_message", "a message is an object"],
  [{}, "invalid_message", "action must be one of"],
  [{ action: "fly" }, "invalid_message", "action must be one of subscribe"],
  [{ action: ["ping"] }, "invalid_message", "action must be one of"],
  ['{"action":"__proto__"}', "invalid_message", "action must be one of"],
  [{ action: "constructor" }, "invalid_message", "action must be one of"],
  [{ action: "ping", extra: 1 }, "invalid_message", "extra is not known here"],
  [subscribe({ type: "everything" }), "invalid_message", "type"],
  [subscribe({ type: "toString" }), "invalid_message", "type"],
  [subscribe({ type: 5 }), "invalid_message", "type"],
  [subscribe({ filter: {} }), "invalid_message", "filter is not known here"],
  [subscribe({ filters: [] }), "invalid_message", "filters"],
  [subscribe({ filters: null }), "invalid_message", "filters"],
  [filters({ walets: [] }), "invalid_message", "walets is not known here"],
  [filters({ wallets: "0x1" }), "invalid_message", "filters.wallets"],
  [filters({ wallets: [] }), "invalid_message", "no wallets: list at least one, or omit the list"],
  [subscribe({ event_types: [] }), "invalid_message", "no event types"],
  [subscribe({ token_ids: ["1"] }), "invalid_message", "token_ids is for order books (type orderbook)"],
  [subscribe({ markets: ["*"] }), "invalid_message", "markets is for order books (type orderbook)"],
  [filters({ wallets: [7] }), "invalid_message", "filters.wallets"],
  [filters({ wallets: ["0x12"] }), "invalid_message", "an address is 0x and 40 hexadecimal digits"],
  [filters({ tokens: ["twelve"] }), "invalid_message", "a token id is a decimal number"],
  [filters({ condition_ids: ["0x12"] }), "invalid_message", "a condition id is 0x"],
  [filters({ slugs: ["not a slug"] }), "invalid_message", "a slug consists of"],
  [filters({ side: "up" }), "invalid_message", "filters.side"],
  [filters({ status: "done" }), "invalid_message", "filters.status"],
  [filters({ min_size: "5" }), "invalid_message", "filters.min_size"],
  [filters({ min_size: -1 }), "invalid_message", "a size is 0 or more"],
  ['{"action":"subscribe","filters":{"max_size":1e999}}', "invalid_message", "filters.max_size"],
  [filters({ min_size: 5, max_size: 4 }), "invalid_message", "the minimum of 5 dollars is above the maximum"],
  [
    subscribe({ type: "large_trades", filters: { max_usd: 4 } }),
    "invalid_message",
    "the minimum of 1000 dollars is above",
  ],
  [filters({ min_size: 5, min_usd: 5 }), "invalid_message", "min_usd and min_size are the same filter"],
  [filters({ event_types: ["oracle"] }), "invalid_message", "fills has no oracle events"],
  [filters({ event_types: ["nothing"] }), "invalid_message", "event_types"],
  [filters({ feeds: ["BTC"] }), "invalid_message", "feeds is for the type oracle"],
  [filters({ module_ids: [1] }), "invalid_message", "module_ids is for the type combos"],
  [subscribe({ snapshot_count: -1 }), "invalid_message", "snapshot_count"],
  [subscribe({ snapshot_count: 1.5 }), "invalid_message", "snapshot_count"],
  [subscribe({ since: "yesterday" }), "invalid_message", "since"],
  [subscribe({ since: 1794700800 }), "invalid_message", "looks like seconds. Multiply by 1000: since=1794700800000"],
  [filters({ since: 1794700800 }), "invalid_message", "filters.since: expected Unix milliseconds"],
  [subscribe({ since: 1_794_700_800_000_000 }), "invalid_message", "thousands of years from now. Convert"],
  [
    subscribe({ type: "oracle", feeds: ["BTC"] }),
    "invalid_message",
    "feeds is not known here: it belongs inside filters",
  ],
  [filters({ token_ids: ["1"] }), "invalid_message", "token_ids is not known here: it belongs beside filters"],
  [subscribe({ resume: { seq: -1 } }), "invalid_message", "resume.seq"],
  [subscribe({ resume: 5 }), "invalid_message", "resume"],
  [filters({ wallets: wallets(10_001) }), "input_too_large", "at most 10000 wallets"],
  [{ action: "update", subscription_id: "x" }, "invalid_message", "filters is missing"],
  [{ action: "update", subscription_id: "x", filters: {} }, "unknown_subscription", "no subscription x"],
  [{ action: "unsubscribe", subscription_id: "x" }, "unknown_subscription", "no subscription x"],
  [{ action: "resync" }, "invalid_message", "token_ids is missing"],
  [new Uint8Array([1, 2, 3]), "invalid_message", "not binary"],
  [Buffer.from('{"action":"ping"}'), "invalid_message", "not binary"],
]

const brokenFrames: Readonly<Record<string, ReadonlyArray<Buffer>>> = {
  "invalid UTF-8": [frame(opcodes.text, Buffer.from([0x22, 0xc3, 0x28, 0x22]))],
  "an undefined opcode": [frame(3, "{}")],
  "reserved bits": [frame(opcodes.text, "{}", { reserved: 4 })],
  "an oversized ping": [frame(opcodes.ping, "x".repeat(126))],
  "a continuation without a start": [frame(opcodes.continuation, "{}")],
  "interleaved messages": [frame(opcodes.text, "{", { isLast: false }), frame(opcodes.text, "{}")],
  "a fragmented close": [frame(opcodes.close, Buffer.from([3, 232]), { isLast: false })],
  "an oversized message": [frame(opcodes.text, "x".repeat(2_097_153))],
  "oversized fragments": Array.from({ length: 9 }, (_, i) =>
    frame(i === 0 ? opcodes.text : opcodes.continuation, "x".repeat(500_000), { isLast: false }),
  ),
  "a 63-bit length": [Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0])],
}

layer(testGateway(), { excludeTestServices: true })("Client messages", (it) => {
  it.effect("naming order books implies their type, and fields without effect cause warnings", () =>
    Effect.gen(function* () {
      const client = yield* connect((yield* keyOf("growth")).key)
      const books = yield* client.request({ action: "subscribe", token_ids: ["1"], snapshot_count: 3 }, "subscribed")
      assert.strictEqual(books["subscription_type"], "orderbook")
      assert.include(String(books["warnings"]), "order books begin with their snapshots")
      const fills = yield* client.request(subscribe({ type: "blocks", resume: { epoch: "x" } }), "subscribed")
      assert.include(String(fills["warnings"]), "resume has no seq")
      const all = yield* client.request({ action: "subscribe", markets: ["*"] }, "subscribed")
      assert.deepInclude(all["coverage"], { markets: 0, open_markets: 0 })
      yield* client.nextOf("snapshots_done")
      assertDocumented(client)
    }),
  )

  it.effect("filters that match nothing of a type, and unknown tokens, are warned about", () =>
    Effect.gen(function* () {
      const client = yield* connect((yield* keyOf("enterprise")).key)
      yield* listMarkets(1)
      const warnings = Effect.fnUntraced(function* (type: string, some: object) {
        const ack = yield* client.request(subscribe({ type, filters: some }), "subscribed")
        return ack["warnings"]
      })
      const nothingOf = (name: string, types: string) =>
        `cannot_match: because of the filter ${name}, nothing comes of type ${types}`
      assert.deepStrictEqual(yield* warnings("blocks", { wallets: wallets(1) }), [nothingOf("wallets", "block")])
      assert.deepStrictEqual(yield* warnings("wallets", { min_size: 5, tokens: [tokenOf(1)] }), [
        nothingOf("tokens", "deposit"),
        nothingOf("min_size", "position_change"),
      ])
      assert.deepStrictEqual(
        yield* warnings("fills", { tokens: [tokenOf(1), "12"], wallets: wallets(1), side: "BUY" }),
        ["unresolved_tokens: no market is known for 12"],
      )
      const [subscription_id] = client.of("subscribed").map((ack) => ack["subscription_id"])
      const updated = yield* client.request(
        { action: "update", subscription_id, filters: { slugs: ["market-1"] } },
        "updated",
      )
      assert.deepStrictEqual(updated["warnings"], [nothingOf("slugs", "block")])
      assertDocumented(client)
    }),
  )

  it.effect("the bounds of a subscription are acknowledged in dollars, by whichever name they were requested", () =>
    Effect.gen(function* () {
      const client = yield* connect((yield* keyOf("enterprise")).key)
      const bounds = Effect.fnUntraced(function* (type: string, some: object) {
        const { min_usd, max_usd } = yield* client.request(subscribe({ type, filters: some }), "subscribed")
        return [min_usd, max_usd]
      })
      assert.deepStrictEqual(yield* bounds("fills", { min_size: 5, max_size: 7.5 }), [5, 7.5])
      assert.deepStrictEqual(yield* bounds("fills", { min_usd: 0, max_usd: 7.5 }), [0, 7.5])
      assert.deepStrictEqual(yield* bounds("large_trades", {}), [1000, undefined])
      assert.deepStrictEqual(yield* bounds("fills", {}), [undefined, undefined])
      const [subscription_id] = client.of("subscribed").map((ack) => ack["subscription_id"])
      const updated = yield* client.request({ action: "update", subscription_id, filters: { min_usd: 9 } }, "updated")
      assert.strictEqual(updated["min_usd"], 9)
      assertDocumented(client)
    }),
  )

  it.effect("an invalid message is answered with an error, and the connection stays open", () =>
    Effect.gen(function* () {
      const client = yield* connect((yield* keyOf("growth")).key)
      for (const [message, code, text] of bad) {
        const error = yield* client.request(message, "error")
        const shown = String(typeof message === "string" ? message : JSON.stringify(message)).slice(0, 200)
        assert.deepStrictEqual([error["code"], error["error"]], [code, code], `${shown}: ${error["message"]}`)
        assert.include(error["message"], text, shown)
      }
      yield* client.request({ action: "ping" }, "pong")
      const answers = client.received.filter(({ type }) => type !== "heartbeat")
      assert.strictEqual(answers.length, bad.length + 1)
      yield* client.request(filters({ wallets: wallets(10_000) }), "subscribed")
      assertDocumented(client)
    }),
  )

  it.effect("a message may be fragmented, with pings in between", () =>
    Effect.gen(function* () {
      const wire = yield* openWire((yield* keyOf("growth")).key)
      wire.write(
        frame(opcodes.text, '{"act', { isLast: false }),
        frame(opcodes.ping, "are you there"),
        frame(opcodes.continuation, 'ion":"pi', { isLast: false }),
        frame(opcodes.continuation, 'ng"}'),
      )
      yield* eventually(
        "a pong of each kind",
        Effect.sync(() => wire.received.includes("are you there") && wire.received.includes('"type":"pong"')),
      )
    }),
  )

  it.effect("a violation of the WebSocket protocol ends the connection and no other one", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const witness = yield* connect(key)
      const unmasked = yield* openWire(key)
      unmasked.write(frame(opcodes.text, '{"action":"ping"}', { isMasked: false }))
      for (const [what, frames] of Object.entries(brokenFrames)) {
        const wire = yield* openWire(key)
        wire.write(...frames)
        yield* eventually(
          `${what} ends the connection`,
          Effect.sync(() => wire.isClosed),
        )
        yield* witness.request({ action: "ping" }, "pong")
      }
      assert.notInclude(unmasked.received.toString(), "pong")
      // Disconnected in the middle of a message.
      const half = yield* openWire(key)
      half.write(frame(opcodes.text, '{"action":"ping"}').subarray(0, 9))
      half.socket.resetAndDestroy()
      yield* witness.request({ action: "ping" }, "pong")
    }),
  )

  it.effect("excess messages are refused, and a flood closes the connection", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const before = yield* metric("presage_ws_ended_total", { reason: "flood" })
      const [client, witness] = [yield* connect(key), yield* connect(key)]
      for (let count = 0; count < 2_000; count++) {
        client.send(count % 2 === 0 ? { action: "ping" } : filters({ wallets: wallets(count % 10) }))
      }
      assert.strictEqual((yield* client.ended).code, 4029)
      const closing = client.received.at(-1)
      assert.deepStrictEqual([closing?.["type"], closing?.["code"]], ["closing", 4029])
      assert.isAbove(closing?.["retry_after_ms"], 0)
      const refused = client.of("error").filter(({ code }) => code === "too_many_messages")
      assert.isAtLeast(refused.length, 100)
      yield* witness.request({ action: "ping" }, "pong")
      assert.strictEqual((yield* metric("presage_ws_ended_total", { reason: "flood" })) - before, 1)
      assertDocumented(client)
    }),
  )

  it.effect("a connection has at most a hundred subscriptions", () =>
    Effect.gen(function* () {
      const client = yield* connect((yield* keyOf("growth")).key)
      for (let count = 0; count < 100; count++) yield* client.request(filters({ wallets: wallets(3) }), "subscribed")
      const refused = yield* client.request(filters({ wallets: wallets(3) }), "error")
      assert.strictEqual(refused["code"], "too_many_subscriptions")
      yield* client.request({ action: "unsubscribe" }, "unsubscribed")
      yield* client.request(filters({ wallets: wallets(3) }), "subscribed")
    }),
  )
})
