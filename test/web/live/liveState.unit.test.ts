import { assert, describe, it } from "@effect/vitest"
import { serverMessages } from "#src/streams/protocol/server.ts"
import { change, coinPrice } from "#web/explore/live/format.ts"
import { LiveState } from "#web/explore/live/liveState.ts"
import { refusalReason } from "#web/shared/stream/refusal.ts"

const now = 1_794_700_801_000

const price = (at: number, amount: number, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "price_feed",
  id: `${at}-0`,
  feed: "BTC/USD",
  timestamp: Math.floor(at / 1000),
  is_twap: false,
  data: { price: amount },
  ...more,
})

const fill = (seq: number, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "event",
  seq,
  data: {
    tx_hash: `0x${seq}`,
    log_index: 1,
    block_number: 10,
    timestamp: (now - 2000) / 1000,
    title: "Will it rain?",
    token_label: "Yes",
    side: "BUY",
    price: 0.42,
    shares_normalized: 100,
    ...more,
  },
})

describe("LiveState", () => {
  it("keeps the newest price of each feed, its direction and its lag", () => {
    const state = new LiveState()
    state.receive(price(now - 1500, 100), now - 700)
    state.receive(price(now - 500, 101.5), now)
    state.receive(price(now - 1500, 90), now)
    const shown = state.prices.get("BTC/USD")
    assert.deepInclude(shown, { price: 101.5, move: 1, at: now - 500 })
    assert.deepStrictEqual(
      shown?.history.map(({ price: amount }) => amount),
      [100, 101.5],
    )
    assert.strictEqual(state.priceLag, 500)
    assert.strictEqual(state.gaps, 0)
    state.receive(price(now + 500, 101, { gap: true }), now + 600)
    assert.strictEqual(state.gaps, 1)
  })

  it("begins with older prices, keeps one in half a minute, and forgets those beyond two and a half hours", () => {
    const state = new LiveState()
    const pricesNow = () => state.prices.get("BTC/USD")?.history.map((point) => point.price)
    state.receive(price(now, 50), now)
    state.addHistory("BTC/USD", [
      { at: now - 9_100_000, price: 1 },
      { at: now - 600_000, price: 40 },
      { at: now - 300_000, price: 45 },
      { at: now + 5, price: 99 },
    ])
    assert.deepStrictEqual(pricesNow(), [1, 40, 45, 50])
    for (let second = 1; second <= 60; second++) state.receive(price(now + second * 1000, 50 + second), now)
    assert.deepStrictEqual(pricesNow()?.slice(0, 2), [40, 45])
    assert.strictEqual(pricesNow()?.at(-1), 110)
    assert.isAtMost(pricesNow()?.length ?? 0, 6)
  })

  it("forgets fills when others are asked for", () => {
    const state = new LiveState()
    state.receive(fill(31), now)
    state.clearFills()
    assert.deepStrictEqual([state.fills, state.fillLag], [[], undefined])
    state.receive(fill(31), now)
    assert.strictEqual(state.fills.length, 1)
  })

  it("corrects a wrong local clock", () => {
    const state = new LiveState()
    state.pinged(now - 60_000)
    state.receive({ type: "pong", ts: now }, now - 60_000 + 40)
    state.receive(price(now - 300, 100), now - 60_000 + 20)
    assert.strictEqual(state.priceLag, 300)
  })

  it("keeps each fill once, newest first, without lag for replayed ones", () => {
    const state = new LiveState()
    state.receive({ type: "subscribed", subscription_type: "fills", seq: 30, replay: {} }, now)
    state.receive(fill(20), now)
    assert.isUndefined(state.fillLag)
    state.receive({ type: "caught_up", seq: 30, replayed: 1 }, now)
    state.receive(fill(31), now)
    state.receive(fill(31), now)
    state.receive(fill(32, { block_number: null, log_index: null }), now)
    assert.deepStrictEqual(
      state.fills.map(({ id, isPending }) => [id, isPending]),
      [
        ["0x32:", true],
        ["0x31:1", false],
        ["0x20:1", false],
      ],
    )
    assert.strictEqual(state.fillLag, 2000)
    assert.strictEqual(state.seq, 32)
    for (let seq = 40; seq < 140; seq++) state.receive(fill(seq), now)
    assert.strictEqual(state.fills.length, 50)
    assert.strictEqual(state.totals.fills, 103)
  })

  it("counts gaps and tracks stale sources", () => {
    const state = new LiveState()
    state.receive({ type: "subscribed", subscription_type: "fills", seq: 30, recovered: false }, now)
    assert.strictEqual(state.gaps, 1)
    state.receive(
      {
        type: "heartbeat",
        ts: now,
        seq: 33,
        sources: { chain: { age_ms: 2000, stale: false }, mempool: { age_ms: null, stale: true } },
      },
      now,
    )
    assert.deepStrictEqual(state.sources.get("mempool"), { name: "mempool", age: undefined, isStale: true })
    state.receive({ type: "stale", source: "chain", age_ms: 31_000, bound_ms: 30_000 }, now)
    assert.deepStrictEqual(state.sources.get("chain"), { name: "chain", age: 31_000, isStale: true })
    state.receive({ type: "fresh", source: "chain", age_ms: 900 }, now)
    assert.deepInclude(state.sources.get("chain"), { isStale: false })
    assert.strictEqual(state.seq, 33)
  })

  it("counts the messages of the last seconds", () => {
    const state = new LiveState()
    for (let i = 0; i < 10; i++) state.receive(price(now + i * 1000, i), now + i * 1000)
    assert.strictEqual(state.perSecond(now + 9000), 1)
    assert.strictEqual(state.perSecond(now + 30_000), 0)
  })

  it("accepts every documented message", () => {
    const state = new LiveState()
    for (const schema of Object.values(serverMessages)) {
      const [example] = (schema.ast.annotations?.["examples"] ?? []) as ReadonlyArray<{ readonly type: string }>
      assert.isDefined(example)
      state.receive(example, now)
    }
    assert.strictEqual(state.fills.length, 1)
    assert.strictEqual(state.prices.size, 1)
  })
})

describe("formatting", () => {
  it("uses a precision that fits the magnitude", () => {
    assert.deepStrictEqual([97_123.4, 2.4, 0.18128].map(coinPrice), ["97,123.40", "2.400", "0.18128"])
    assert.deepStrictEqual(
      [change(100, 101), change(100, 99.5), change(100, 100.001), change(0, 5)],
      ["+1.00 %", "−0.50 %", "±0.00 %", "±0.00 %"],
    )
  })

  it("explains a refused connection and whether to retry", () => {
    const at = (status: number | undefined) => refusalReason(status, "as the service says", "ws://here")
    assert.deepStrictEqual(
      [401, 403, 429, 503, 200, undefined].map((status) => at(status).final),
      [true, true, false, false, false, false],
    )
    assert.match(at(401).text, /not known/)
    assert.match(at(403).text, /revoked/)
    assert.strictEqual(at(429).text, "as the service says")
    assert.match(at(200).text, /ws:\/\/here/)
    assert.match(at(undefined).text, /does not answer/)
  })
})
