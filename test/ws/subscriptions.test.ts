import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Meter } from "#src/usage/Meter.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { assertDocumented } from "./support/assertDocumented.ts"
import { type Client, connect } from "./support/client.ts"
import { append, scores, testGateway } from "./support/gateway.ts"
import { conditionOf, listMarkets, tokenOf } from "./support/markets.ts"

const prices = (rest: object = {}, more: object = {}) => ({
  action: "subscribe",
  type: "prices",
  filters: { event_types: ["price_change"], ...rest },
  ...more,
})

/** Seqs of the received events, in order. */
const seqs = ({ events }: Client) => events.map(({ seq }) => seq)

/** Waits until a client that receives all events has this seq, so that it has been published to all. */
const publishedUpTo = (witness: Client, seq: number) =>
  witness.until(`seq ${seq}`, () => seqs(witness).includes(seq) || undefined)

layer(testGateway(), { excludeTestServices: true })("Event subscriptions", (it) => {
  it.effect("stack on one connection, deliver each event once, and can be updated and ended one by one", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const moved = yield* listMarkets(6)
      const [client, witness] = [yield* connect(key), yield* connect(key)]
      yield* witness.request(prices(), "subscribed")

      const first = yield* client.request(prices({ tokens: [tokenOf(1)] }), "subscribed")
      const second = yield* client.request(
        prices({ condition_ids: [conditionOf(1).toUpperCase().replace("X", "x")] }),
        "subscribed",
      )
      const third = yield* client.request(prices({ slugs: ["market-2", "MARKET-3", "nothing-such"] }), "subscribed")
      assert.deepStrictEqual(third["warnings"], ["unresolved_slugs: nothing comes for nothing-such"])
      assert.deepStrictEqual(
        [first, second, third].map((ack) => ack["subscription_type"]),
        ["prices", "prices", "prices"],
      )
      assert.deepStrictEqual(
        [first, second, third].map((ack) => ack["subscription_id"]),
        [1, 2, 3].map((n) => `${first["subscriber_id"]}:${n}`),
      )

      // Market 1 matches two subscriptions, markets 2 and 3 match by slug, market 4 matches none.
      const a = yield* append([moved(1), moved(1, 1), moved(4), moved(2), moved(3, 1)])
      yield* publishedUpTo(witness, a)
      yield* client.until("four", () => seqs(client).length === 4 || undefined)
      assert.deepStrictEqual(seqs(client), [a - 4, a - 3, a - 1, a])

      const updated = yield* client.request(
        {
          action: "update",
          subscription_id: third["subscription_id"],
          filters: { tokens: [tokenOf(4)], event_types: ["price_change"] },
        },
        "updated",
      )
      assert.strictEqual(updated["subscription_id"], third["subscription_id"])
      const b = yield* append([moved(2), moved(4), moved(4, 1)])
      yield* publishedUpTo(witness, b)
      yield* client.until("one more", () => seqs(client).length === 5 || undefined)
      assert.strictEqual(seqs(client).at(-1), b - 1)

      const ended = yield* client.request(
        { action: "unsubscribe", subscription_id: second["subscription_id"] },
        "unsubscribed",
      )
      assert.strictEqual(ended["subscription_id"], second["subscription_id"])
      const c = yield* append([moved(1, 1), moved(1)])
      yield* client.until("the token alone", () => seqs(client).includes(c) || undefined)
      assert.strictEqual(seqs(client).length, 6)

      client.send({ action: "unsubscribe" })
      yield* client.until("both have ended", () => client.of("unsubscribed").length === 3 || undefined)
      yield* publishedUpTo(witness, yield* append([moved(1), moved(4)]))
      yield* client.request({ action: "ping" }, "pong")
      assert.strictEqual(seqs(client).length, 6)
      yield* client.request({ action: "unsubscribe" }, "unsubscribed")
      assertDocumented(client, witness)
    }),
  )

  it.effect("deliver retractions to every subscription, whatever its filters", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const client = yield* connect(key)
      yield* client.request(
        { action: "subscribe", type: "fills", filters: { wallets: [`0x${"1".repeat(40)}`] } },
        "subscribed",
      )
      const fork = { fork_block: 7, fork_hash: `0x${"0".repeat(64)}`, retracted: [1, 2] }
      const seq = yield* append([{ kind: "reorg", ref: 7n, data: fork }])
      const reorg = yield* client.nextOf("reorg")
      assert.deepStrictEqual([reorg["seq"], reorg["data"].retracted], [seq, [1, 2]])
    }),
  )

  it.effect("are deflated on request with identical content, while control messages stay text", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const [plain, deflated] = [yield* connect(key), yield* connect(key, { compress: "zlib" })]
      const global = { action: "subscribe", type: "global", event_types: ["score"] }
      yield* plain.request(global, "subscribed")
      yield* deflated.request({ ...global, snapshot_count: 5 }, "subscribed")
      const last = yield* append(scores(1, 50, 200))
      for (const client of [plain, deflated]) yield* publishedUpTo(client, last)
      const eventTexts = ({ texts, received: frames }: Client) =>
        texts.filter((_, i) => frames[i]?.["type"] === "score")
      assert.deepStrictEqual(eventTexts(deflated), eventTexts(plain))
      for (const [i, { type }] of deflated.received.entries()) {
        assert.strictEqual(
          deflated.binaries[i],
          type === "score" || (type === "snapshot" && deflated.received[i]?.["count"] > 0),
        )
      }
      assert.isFalse(plain.binaries.includes(true))
      assert.isBelow(deflated.bytes, plain.bytes)
      assertDocumented(plain, deflated)
    }),
  )

  it.effect("are metered: an account is charged for the bytes its clients received", () =>
    Effect.gen(function* () {
      const { key, account } = yield* keyOf("enterprise")
      const clients = [yield* connect(key), yield* connect(key, { compress: "zlib" }), yield* connect(key)]
      const [first, , leaver] = clients
      yield* append(scores(100, 20))
      for (const client of clients) {
        yield* client.request({ action: "subscribe", type: "global", snapshot_count: 10 }, "subscribed")
        yield* client.nextOf("caught_up")
      }
      const half = yield* append(scores(200, 30, 500))
      for (const client of clients) yield* publishedUpTo(client, half)
      leaver?.close()
      const all = yield* append(scores(300, 30, 20_000))
      yield* Effect.forEach(clients.slice(0, 2), (client) => publishedUpTo(client, all))
      yield* first?.request({ action: "unsubscribe" }, "unsubscribed") ?? Effect.void
      for (const client of clients) client.close()
      yield* Effect.forEach(clients, (client) => client.ended)
      const received = clients.reduce((sum, { bytes }) => sum + bytes, 0)
      const { sql } = yield* Postgres
      const charged = Effect.gen(function* () {
        yield* (yield* Meter).flush
        const [row] = yield* sql<{ bytes: number }>`
          select coalesce(sum(bytes), 0)::float8 as bytes from usage_day where account_id = ${account} and family = 'stream'`
        return row?.bytes
      })
      yield* eventually(
        "all bytes are charged",
        Effect.map(charged, (bytes) => bytes === received),
      )
    }),
  )
})
