import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Dice } from "#src/simulator/random.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { seed } from "#test/support/processes/scale.ts"
import { type Client, connect } from "./support/client.ts"
import { anyMessage } from "./support/fuzz.ts"
import { append, metric, scores, testGateway } from "./support/gateway.ts"

const mebibyte = 1_048_576
const flags = {
  "ws.message-rate": "100000",
  "ws.message-burst": "1000000",
  "ws.memory-connection": String(2 * mebibyte),
  "ws.memory": String(4 * mebibyte),
  "ws.lag-patience": "10m",
}

const isKept = (what: string, is: (bytes: number) => boolean) =>
  eventually(what, Effect.map(metric("presage_ws_kept_bytes"), is))

const score = { action: "subscribe", type: "global", event_types: ["score"] }

layer(testGateway(flags), { excludeTestServices: true })("What clients make a gateway keep", (it) => {
  it.effect("a free account has a bounded number of sockets, with or without a subscription", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const clients = yield* Effect.forEach(Array.from({ length: 14 }), () => connect(key))
      const ended = yield* (yield* connect(key)).ended
      assert.strictEqual(ended.code, 4029)
      for (const client of clients) assert.isUndefined(client.closed)
      clients[0]?.close()
      yield* clients[0]?.ended ?? Effect.void
      yield* (yield* connect(key)).request({ action: "ping" }, "pong")
    }),
  )

  it.effect("messages that pile up close the connection, and nothing stays counted", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const client = yield* connect(key)
      const wallets = Array.from({ length: 10_000 }, (_, i) => `0x${i.toString(16).padStart(40, "0")}`)
      for (let i = 0; i < 8; i++) client.send({ action: "subscribe", type: "fills", filters: { wallets } })
      assert.strictEqual((yield* client.ended).code, 4029)
      yield* isKept("nothing is kept", (bytes) => bytes === 0)
    }),
  )

  it.effect("subscriptions that are made, replaced and ended over and over leave nothing behind", () =>
    Effect.gen(function* () {
      const dice = new Dice(Number(seed) >>> 0)
      const { key } = yield* keyOf("enterprise")
      const client = yield* connect(key)
      const wallets = () =>
        Array.from(
          { length: 20 },
          () =>
            `0x${dice
              .below(2 ** 30)
              .toString(16)
              .padStart(40, "0")}`,
        )
      for (let round = 0; round < (process.env.PRESAGE_SOAK === "1" ? 100 : 30); round++) {
        const ack = yield* client.request({ action: "subscribe", filters: { wallets: wallets() } }, "subscribed")
        const subscription_id = ack["subscription_id"]
        yield* client.request({ action: "update", subscription_id, filters: { wallets: wallets() } }, "updated")
        client.send(anyMessage(dice))
        yield* client.request({ action: "unsubscribe" }, "unsubscribed")
        if (client.closed !== undefined) return assert.fail(`closed with ${client.closed.code}`)
      }
      yield* isKept("nothing is kept while the client is still connected", (bytes) => bytes === 0)
    }),
  )

  it.effect("clients that never read are cut once all of them have too much unread, and the others go on", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const reader = yield* connect(key)
      const stuck = yield* Effect.forEach(Array.from({ length: 20 }), () => connect(key))
      for (const client of [reader, ...stuck]) yield* client.request(score, "subscribed")
      for (const client of stuck) client.stopReading()
      const cut = () => metric("presage_ws_ended_total", { reason: "slow" })
      const before = yield* cut()
      let last = 0
      while ((yield* cut()) === before) {
        last = yield* append(scores(last + 1, 100, 20_000))
        yield* received(reader, last)
      }
      last = yield* append(scores(last + 1, 1))
      yield* received(reader, last)
    }),
  )
})

const received = (client: Client, seq: number) =>
  client.until(`seq ${seq}`, () => client.events.some((event) => event["seq"] === seq) || undefined)
