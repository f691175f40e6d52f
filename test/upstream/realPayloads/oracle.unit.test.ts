import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readRtdsFrame, rtdsSubscription } from "#src/upstream/oracle/rtdsWire.ts"

const read = (frame: object) => Result.getOrThrow(readRtdsFrame(JSON.stringify(frame)))
const points = [
  { timestamp: 1788600386000, value: 79696.5 },
  { timestamp: 1788600387000, value: 79696.94817428796 },
]

describe("Captured frames of the platform's prices", () => {
  it("A8: the snapshot under the label crypto_prices is read when its symbol has a slash", () => {
    const snapshot = { topic: "crypto_prices", type: "subscribe", timestamp: 1788600389451 }
    const own = read({ ...snapshot, payload: { symbol: "btc/usd", data: points } })
    assert.deepInclude(own, { kind: "snapshot", coin: "BTC" })
    if (own.kind === "snapshot") assert.strictEqual(own.ticks[1]?.price, 7_969_694_817_429n)
    assert.deepInclude(
      read({ ...snapshot, topic: "crypto_prices_chainlink", payload: { symbol: "btc/usd", data: [] } }),
      {
        kind: "snapshot",
      },
    )
    assert.deepStrictEqual(read({ ...snapshot, payload: { symbol: "btcusdt", data: points } }), { kind: "other" })
  })

  it("A8: updates of other topics are still left out", () => {
    const payload = { symbol: "btc/usd", timestamp: 1788600388000, value: 79697.73, full_accuracy_value: "79697.73" }
    assert.deepStrictEqual(read({ topic: "crypto_prices", type: "update", payload }), { kind: "other" })
    const exact = { ...payload, value: 79696.94817428796, full_accuracy_value: "79696948174287960000000" }
    const update = read({ connection_id: "gZexFa", topic: "crypto_prices_chainlink", type: "update", payload: exact })
    assert.deepInclude(update, { kind: "update" })
    if (update.kind === "update") assert.strictEqual(update.tick.price, 7_969_694_817_429n)
  })

  it("A8: filters have no space, and a refused subscription says why", () => {
    const { subscriptions } = JSON.parse(rtdsSubscription) as { subscriptions: ReadonlyArray<{ filters: string }> }
    assert.isTrue(subscriptions.every(({ filters }) => /^\{"symbol":"[a-z]+\/usd"\}$/.test(filters)))
    const refusal = { body: { message: "leger GetTopics error: … not found" }, statusCode: 401 }
    assert.deepStrictEqual(
      readRtdsFrame(JSON.stringify(refusal)),
      Result.fail("subscription refused with 401: leger GetTopics error: … not found"),
    )
  })
})
