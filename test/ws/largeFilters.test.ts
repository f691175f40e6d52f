import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { assertDocumented } from "./support/assertDocumented.ts"
import { type Client, connect } from "./support/client.ts"
import { append, metric, testGateway } from "./support/gateway.ts"
import { conditionOf, listMarkets, tokenOf } from "./support/markets.ts"

const most = 10_000

const clientCount = process.env.PRESAGE_SOAK === "1" ? 10 : 3

/** The longest lists that fit into a message. The real tokens are the last, so they are found only if all are read. */
const longest = (number: number, market: number) => ({
  action: "subscribe",
  type: "prices",
  filters: {
    event_types: ["price_change"],
    tokens: [
      ...Array.from({ length: most - 2 }, (_, i) => String(10n ** 76n + BigInt(number * most + i))),
      tokenOf(market),
      tokenOf(market, 1),
    ],
    condition_ids: [
      ...Array.from({ length: most - 1 }, (_, i) => `0x${(number * most + i).toString(16).padStart(64, "0")}`),
      conditionOf(market),
    ],
  },
})

const seqs = ({ events }: Client) => events.map(({ seq }) => seq)

layer(testGateway(), { excludeTestServices: true })("Large filters", (it) => {
  it.effect(
    "of several clients delay no events of others, and then receive all of theirs from the acknowledgement on",
    () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("enterprise")
        const moved = yield* listMarkets(clientCount + 1)
        const witness = yield* connect(key)
        const firehose = { action: "subscribe", type: "prices", filters: { event_types: ["price_change"] } }
        const { seq: start } = yield* witness.request(firehose, "subscribed")
        const clients = yield* Effect.forEach(Array.from({ length: clientCount }), () => connect(key))
        for (const [i, client] of clients.entries()) client.send(longest(i, i + 1))

        // An event in every market after every other, until all clients have subscribed and for some time after that.
        let last = Number(start)
        const areSubscribed = () => clients.every((client) => client.of("subscribed").length === 1)
        let roundsAfter = 0
        let receivedBefore = 0
        while (roundsAfter < 3) {
          if (areSubscribed()) roundsAfter++
          last = yield* append(Array.from({ length: clientCount + 1 }, (_, i) => moved(i + 1)))
          yield* witness.until(`seq ${last}`, () => seqs(witness).at(-1) === last || undefined)
          if (!areSubscribed()) receivedBefore = seqs(witness).length
        }
        assert.isAbove(receivedBefore, 0, "events must have been delivered while filters were being prepared")
        assert.deepStrictEqual(
          seqs(witness),
          Array.from({ length: last - Number(start) }, (_, i) => Number(start) + 1 + i),
        )
        for (const [i, client] of clients.entries()) {
          const [ack] = client.of("subscribed")
          const expected = seqs(witness).filter(
            (seq) => (seq - Number(start) - 1) % (clientCount + 1) === i && seq > ack?.["seq"],
          )
          assert.isAtLeast(expected.length, 3)
          yield* client.until("all of its events", () => seqs(client).length >= expected.length || undefined)
          assert.deepStrictEqual(seqs(client), expected)
          assert.include(String(ack?.["warnings"]), "and 9898 more")
        }
        assertDocumented(witness, ...clients)
      }),
  )
})

const oneFilter = { "ws.memory-connection": String(8 * 1_048_576), "ws.message-burst": "1000" }

layer(testGateway(oneFilter), { excludeTestServices: true })("Large filters within limits", (it) => {
  it.effect("replace each other, say which item is wrong, and are refused above the memory of a connection", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const moved = yield* listMarkets(2)
      const client = yield* connect(key)
      const ack = yield* client.request(longest(1, 1), "subscribed")
      const first = yield* append([moved(1), moved(2)])
      yield* client.until("the first", () => seqs(client).includes(first - 1) || undefined)
      const { filters } = longest(2, 2)
      yield* client.request({ action: "update", subscription_id: ack["subscription_id"], filters }, "updated")
      const second = yield* append([moved(1), moved(2)])
      yield* client.until("the second", () => seqs(client).includes(second) || undefined)
      assert.deepStrictEqual(seqs(client), [first - 1, second])
      yield* eventually(
        "the filter is counted",
        Effect.map(metric("presage_ws_kept_bytes"), (bytes) => bytes > 4_000_000),
      )

      const subscribe = (changed: object) => ({
        action: "subscribe",
        type: "prices",
        filters: { ...filters, ...changed },
      })
      const errors = yield* Effect.forEach(
        [
          subscribe({ tokens: filters.tokens.with(7_777, "no token") }),
          subscribe({ tokens: [...filters.tokens, "1"] }),
          subscribe({}),
        ],
        (message) => client.request(message, "error"),
      )
      assert.deepStrictEqual(
        errors.map(({ code }) => code),
        ["invalid_message", "input_too_large", "memory_limit"],
      )
      assert.include(errors[0]?.["message"], "filters.tokens.7777: a token id is a decimal number")
      assert.strictEqual(errors[1]?.["message"], "filters.tokens: at most 10000 token ids")
      assert.include(errors[2]?.["message"], "ws.memory-connection")

      yield* client.request({ action: "unsubscribe" }, "unsubscribed")
      yield* client.request(subscribe({}), "subscribed")
      assertDocumented(client)
      client.close()
      yield* eventually(
        "nothing is kept for a client that left",
        Effect.map(metric("presage_ws_kept_bytes"), (bytes) => bytes === 0),
      )
    }),
  )
})
