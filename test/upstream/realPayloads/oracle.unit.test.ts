import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { toMarket } from "#src/upstream/gamma/decode.ts"
import { WireMarket } from "#src/upstream/gamma/wire.ts"
import { priceAddress } from "#src/upstream/oracle/CryptoPrice.ts"
import { isAuthenticated, readPolyboltFrame, subscribe } from "#src/upstream/oracle/polyboltWire.ts"
import { readRtdsFrame, rtdsSubscription } from "#src/upstream/oracle/rtdsWire.ts"
import { fromDecimal } from "#src/upstream/oracle/wireValues.ts"
import { quoteOf } from "#test/support/quoteOf.ts"

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
    const { subscriptions } = JSON.parse(rtdsSubscription("spot")) as {
      subscriptions: ReadonlyArray<{ filters: string }>
    }
    assert.isTrue(subscriptions.every(({ filters }) => /^\{"symbol":"[a-z]+\/usd"\}$/.test(filters)))
    const refusal = { body: { message: "leger GetTopics error: … not found" }, statusCode: 401 }
    assert.deepStrictEqual(
      readRtdsFrame(JSON.stringify(refusal)),
      Result.fail("subscription refused with 401: leger GetTopics error: … not found"),
    )
  })
})

describe("Captured frames of PolyBolt", () => {
  const readBolt = (frame: object) => readPolyboltFrame(JSON.stringify(frame))
  const envelope = { v: 1, channel: "price.crypto", seq: 1, ts: 1788886176000 }
  const point = { full_accuracy_value: "78803.76173179", timestamp: 1788886057000, value: 78803.76173179 }

  it("A7: updates and snapshots of the successor of the platform's socket are read", () => {
    const update = readBolt({ ...envelope, payload: { symbol: "btcusd", ...point, received_at: 1788886057100 } })
    const tick = { coin: "BTC", at: 1788886057000, ...quoteOf(7_880_376_173_179n) } as const
    assert.deepStrictEqual(Result.getOrThrow(update), {
      kind: "update",
      tick,
    })
    const data = [point, { ...point, timestamp: 1788886056000 }, { timestamp: 1 }]
    const snapshot = Result.getOrThrow(readBolt({ ...envelope, snapshot: true, payload: { symbol: "btcusd", data } }))
    assert.deepInclude(snapshot, { kind: "snapshot", coin: "BTC", unread: [{ timestamp: 1 }] })
    if (snapshot.kind === "snapshot")
      assert.deepStrictEqual(
        snapshot.ticks.map(({ at }) => at),
        [1788886056000, 1788886057000],
      )
    assert.deepInclude(
      Result.getOrThrow(readBolt({ ...envelope, snapshot: true, payload: { symbol: "ethusd", data: [] } })),
      { kind: "snapshot", ticks: [] },
    )
  })

  it("A7: acknowledgements and other channels are left out, and refusals say why", () => {
    for (const frame of [
      { op: "authed", rid: "a1" },
      { op: "subscribed", channel: "price.crypto", rid: "s1" },
      { ...envelope, channel: "price.polymarket", snapshot: true, payload: [] },
      { ...envelope, channel: "price.crypto.twap", payload: { symbol: "btcusd", ...point, window_seconds: 60 } },
    ])
      assert.deepStrictEqual(Result.getOrThrow(readBolt(frame)), { kind: "other" })
    assert.deepStrictEqual(
      readBolt({ op: "error", code: "bad_filter", channel: "price.crypto", rid: "s1" }),
      Result.fail("refused: bad_filter on price.crypto"),
    )
    assert.deepStrictEqual(readBolt({ op: "error", code: "bad_op" }), Result.fail("refused: bad_op"))
    assert.isTrue(isAuthenticated('{"op":"authed","rid":"a1"}'))
    assert.isFalse(isAuthenticated('{"op":"error","code":"auth_invalid"}'))
  })

  it("C3: exact values are decimal numbers, not whole ones with 18 decimals", () => {
    assert.strictEqual(fromDecimal("78803.76173179"), 7_880_376_173_179n)
    assert.strictEqual(fromDecimal("0.000000005"), 1n)
    assert.strictEqual(fromDecimal("0.0000000049"), 0n)
    assert.strictEqual(fromDecimal("12"), 1_200_000_000n)
    const whole = {
      ...envelope,
      payload: { symbol: "btcusd", ...point, full_accuracy_value: "78803761731790000000000" },
    }
    assert.isTrue(Result.isFailure(readBolt(whole)), "a whole number with 18 decimals is refused")
  })
})

describe("Averages that markets settle on", () => {
  const at = 1788886057000
  const tick = { coin: "BTC", at, ...quoteOf(7_880_376_173_179n) } as const

  it("B5: averages of both sockets are ticks of their own, and no spot prices", () => {
    const bolt = JSON.stringify({
      v: 1,
      channel: "price.crypto.twap",
      seq: 1,
      ts: at,
      payload: { symbol: "btcusd", full_accuracy_value: "78803.76173179", timestamp: at, value: 1, window_seconds: 60 },
    })
    const rtds = JSON.stringify({
      connection_id: "gZexFa",
      topic: "crypto_prices_twap_sixty",
      type: "update",
      timestamp: at,
      payload: {
        symbol: "btc/usd",
        timestamp: at,
        value: 78803.76,
        full_accuracy_value: "78803761731790000000000",
        window_s: 60,
      },
    })
    for (const [read, text] of [
      [readPolyboltFrame, bolt],
      [readRtdsFrame, rtds],
    ] as const) {
      assert.deepStrictEqual(Result.getOrThrow(read(text, "twap60")), { kind: "update", tick })
      assert.deepStrictEqual(Result.getOrThrow(read(text, "spot")), { kind: "other" })
    }
  })

  it("B5: a snapshot of averages has exact values; one of spot prices is not taken for it", () => {
    const snapshot = (topic: string) =>
      JSON.stringify({
        topic,
        type: "subscribe",
        timestamp: at,
        payload: {
          symbol: "btc/usd",
          data: [{ timestamp: at, value: 78803.76, full_accuracy_value: "78803761731790000000000" }],
        },
      })
    assert.deepStrictEqual(Result.getOrThrow(readRtdsFrame(snapshot("crypto_prices_twap_sixty"), "twap60")), {
      kind: "snapshot",
      coin: "BTC",
      ticks: [tick],
      unread: [],
    })
    for (const topic of ["crypto_prices", "crypto_prices_chainlink"])
      assert.deepStrictEqual(Result.getOrThrow(readRtdsFrame(snapshot(topic), "twap60")), { kind: "other" })
  })

  it("B5: PolyBolt has averages of HYPE, but no spot prices", () => {
    const symbolsOf = (text: string) => {
      const { subscriptions } = JSON.parse(text) as {
        subscriptions: ReadonlyArray<{ filter: { symbol: string; window_seconds?: number } }>
      }
      return subscriptions.map(({ filter }) => [filter.symbol, filter.window_seconds])
    }
    assert.deepInclude(symbolsOf(subscribe("twap60")), ["hypeusd", 60])
    assert.notInclude(symbolsOf(subscribe("spot")).flat(), "hypeusd")
  })

  it("B5: the average of the captured configuration is the rule of its market", () => {
    const cryptoMarketConfig = {
      id: "btc-5m-twap-60",
      asset: "btc",
      duration: "5m",
      twapEnabled: true,
      twapLookbackSeconds: 60,
    }
    const market = Schema.decodeUnknownSync(WireMarket)({ id: "1", question: "q", slug: "s", cryptoMarketConfig })
    assert.deepStrictEqual(toMarket(market, null).priceRule, { asset: "btc", duration: "5m", twapSeconds: 60 })
  })

  it("B4, B5: the price to beat is asked for with the variant `fifteen` and the window of the average", () => {
    const window = { coin: "BTC", length: "15m", from: 1788886800000, to: 1788887700000, twapSeconds: 60 } as const
    const query = new URL(priceAddress("https://site.example", window)).searchParams
    assert.deepStrictEqual(Object.fromEntries(query), {
      symbol: "BTC",
      eventStartTime: "2026-09-08T17:00:00.000Z",
      endDate: "2026-09-08T17:15:00.000Z",
      variant: "fifteen",
      twapEnabled: "true",
      twapLookbackSeconds: "60",
    })
    const spot = new URL(priceAddress("https://site.example", { ...window, length: "5m", twapSeconds: 0 })).searchParams
    assert.deepStrictEqual([spot.get("variant"), spot.get("twapEnabled")], ["fiveminute", null])
  })
})
