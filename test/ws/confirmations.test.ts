import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { keyOf } from "#test/http/support/keys.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { fill, handChain } from "#test/webhooks/support/handChain.ts"
import { assertDocumented } from "./support/assertDocumented.ts"
import { type Client, connect } from "./support/client.ts"
import { testGateway } from "./support/gateway.ts"

const fills = { action: "subscribe", type: "fills" }

/** Transactions of the fills that a client was sent, and what they waited for. */
const received = ({ events }: Client) =>
  events.flatMap(({ type, data, confirmations }) =>
    type === "event" ? [`${Number(data["tx_hash"])} ${confirmations ?? "at once"}`] : [],
  )

const until = (client: Client, last: string) => client.until(last, () => received(client).includes(last) || undefined)

layer(ledger.pipe(Layer.provideMerge(testGateway({ "event-log.retention": "3650d" }))), {
  excludeTestServices: true,
})("Subscriptions with confirmations", (it) => {
  it.effect("are sent events once they are as certain, and never what was retracted before", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      const { key } = yield* keyOf("enterprise")
      const base = yield* chain.mine()
      yield* chain.finalize(base)
      const [early, confirmed, final] = [yield* connect(key), yield* connect(key), yield* connect(key)]
      assert.strictEqual((yield* early.request({ ...fills, confirmations: 0 }, "subscribed"))["confirmations"], 0)
      const filters = { confirmations: 3 }
      assert.strictEqual((yield* confirmed.request({ ...fills, filters }, "subscribed"))["confirmations"], 3)
      const begun = yield* final.request({ ...fills, confirmations: "finalized" }, "subscribed")
      assert.strictEqual(begun["confirmations"], "finalized")

      yield* chain.mine({ 1: [fill()] })
      yield* chain.wait(1)
      yield* until(early, "1 at once")
      yield* chain.fork(base)
      yield* chain.mine({ 2: [fill()] })
      yield* chain.wait(3)
      yield* until(confirmed, "2 3")
      yield* chain.fork(base)
      yield* chain.wait(2)
      const last = yield* chain.mine({ 3: [fill()] })
      yield* chain.wait(3)
      yield* until(confirmed, "3 3")
      yield* chain.finalize(last)
      yield* until(final, "3 finalized")
      assert.deepStrictEqual(received(early), ["1 at once", "2 at once", "3 at once"])
      assert.deepStrictEqual(received(confirmed), ["2 3", "3 3"])
      assert.deepStrictEqual(received(final), ["3 finalized"])
      assert.strictEqual(confirmed.events.filter(({ type }) => type === "reorg").length, 2)
      assert.isFalse(final.events.some(({ type }) => type === "reorg"))

      // What happens while a client is away waits as well.
      const { seq } = final.events.at(-1) ?? assert.fail()
      final.terminate()
      const more = yield* chain.mine({ 4: [fill()], 5: [fill()] })
      yield* chain.wait(1)
      const back = yield* connect(key)
      const resume = { epoch: begun["epoch"], seq }
      const again = yield* back.request({ ...fills, confirmations: "finalized", resume }, "subscribed")
      assert.isTrue(again["recovered"])
      assert.isAtMost(Number(again["seq"]), seq)
      const whole = yield* connect(key)
      yield* whole.request({ ...fills, confirmations: "finalized", snapshot_count: 50 }, "subscribed")
      yield* whole.nextOf("caught_up")
      yield* chain.finalize(more)
      yield* until(back, "5 finalized")
      yield* until(whole, "5 finalized")
      assert.deepStrictEqual(received(back), ["4 finalized", "5 finalized"])
      assert.deepStrictEqual(received(whole), ["3 finalized", "4 finalized", "5 finalized"])
      for (const client of [early, confirmed, back, whole]) assertDocumented(client)
    }),
  )

  it.effect("say what cannot wait, and keep what they began with", () =>
    Effect.gen(function* () {
      const client = yield* connect((yield* keyOf("enterprise")).key)
      const refused = (message: object) => Effect.map(client.request(message, "error"), ({ message: text }) => text)
      const pending = { ...fills, confirmations: 3, filters: { status: "pending" } }
      assert.match(yield* refused(pending), /pending events have no confirmations/)
      assert.match(yield* refused({ action: "subscribe", type: "oracle", confirmations: 3 }), /not for oracle/)
      assert.match(yield* refused({ ...fills, confirmations: 2 }), /confirmations/)
      const type = "settlements"
      const { subscription_id, warnings } = yield* client.request(
        { action: "subscribe", type, confirmations: "finalized", filters: { tokens: ["1"] } },
        "subscribed",
      )
      assert.match(String(warnings), /because of confirmations, nothing comes of type settlement/)
      const update = { action: "update", subscription_id, filters: { tokens: ["2"] } }
      assert.strictEqual((yield* client.request(update, "updated"))["confirmations"], "finalized")
      const other = { ...update, filters: { tokens: ["2"], confirmations: 0 } }
      assert.match(yield* refused(other), /cannot change confirmations/)
      yield* client.request({ action: "unsubscribe", subscription_id }, "unsubscribed")
    }),
  )
})
