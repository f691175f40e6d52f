import { assert, describe, it } from "@effect/vitest"
import { Picture } from "#http/live/browser/picture.ts"
import { coinPrice, dollars, duration, sharePrice, whyRefused } from "#http/live/browser/words.ts"
import { serverMessages } from "#src/streams/protocol/server.ts"

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

describe("the picture that the live page shows", () => {
  it("has the newest price of each feed, how it moved and how late it was", () => {
    const picture = new Picture()
    picture.hear(price(now - 1500, 100), now - 700)
    picture.hear(price(now - 500, 101.5), now)
    picture.hear(price(now - 1500, 90), now)
    const shown = picture.prices.get("BTC/USD")
    assert.deepInclude(shown, { price: 101.5, move: 1, at: now - 500, history: [100, 101.5] })
    assert.strictEqual(picture.priceLag, 500)
    assert.strictEqual(picture.gaps, 0)
    picture.hear(price(now + 500, 101, { gap: true }), now + 600)
    assert.strictEqual(picture.gaps, 1)
  })

  it("is not fooled by a clock that is wrong", () => {
    const picture = new Picture()
    picture.pinged(now - 60_000)
    picture.hear({ type: "pong", ts: now }, now - 60_000 + 40)
    picture.hear(price(now - 300, 100), now - 60_000 + 20)
    assert.strictEqual(picture.priceLag, 300)
  })

  it("shows each fill once, the newest first, and no lag for those that are replayed", () => {
    const picture = new Picture()
    picture.hear({ type: "subscribed", subscription_type: "fills", seq: 30, replay: {} }, now)
    picture.hear(fill(20), now)
    assert.isUndefined(picture.fillLag)
    picture.hear({ type: "caught_up", seq: 30, replayed: 1 }, now)
    picture.hear(fill(31), now)
    picture.hear(fill(31), now)
    picture.hear(fill(32, { block_number: null, log_index: null }), now)
    assert.deepStrictEqual(
      picture.fills.map(({ id, isPending }) => [id, isPending]),
      [
        ["0x32:", true],
        ["0x31:1", false],
        ["0x20:1", false],
      ],
    )
    assert.strictEqual(picture.fillLag, 2000)
    assert.strictEqual(picture.seq, 32)
    for (let seq = 40; seq < 140; seq++) picture.hear(fill(seq), now)
    assert.strictEqual(picture.fills.length, 25)
    assert.strictEqual(picture.totals.fills, 103)
  })

  it("counts what could not be recovered, and knows which sources are stale", () => {
    const picture = new Picture()
    picture.hear({ type: "subscribed", subscription_type: "fills", seq: 30, recovered: false }, now)
    assert.strictEqual(picture.gaps, 1)
    picture.hear(
      {
        type: "heartbeat",
        ts: now,
        seq: 33,
        sources: { chain: { age_ms: 2000, stale: false }, mempool: { age_ms: null, stale: true } },
      },
      now,
    )
    assert.deepStrictEqual(picture.sources.get("mempool"), { name: "mempool", age: undefined, isStale: true })
    picture.hear({ type: "stale", source: "chain", age_ms: 31_000, bound_ms: 30_000 }, now)
    assert.deepStrictEqual(picture.sources.get("chain"), { name: "chain", age: 31_000, isStale: true })
    picture.hear({ type: "fresh", source: "chain", age_ms: 900 }, now)
    assert.deepInclude(picture.sources.get("chain"), { isStale: false })
    assert.strictEqual(picture.seq, 33)
  })

  it("counts messages of the last seconds", () => {
    const picture = new Picture()
    for (let i = 0; i < 10; i++) picture.hear(price(now + i * 1000, i), now + i * 1000)
    assert.strictEqual(picture.perSecond(now + 9000), 1)
    assert.strictEqual(picture.perSecond(now + 30_000), 0)
  })

  it("takes every message that is documented", () => {
    const picture = new Picture()
    for (const schema of Object.values(serverMessages)) {
      const [example] = (schema.ast.annotations?.["examples"] ?? []) as ReadonlyArray<{ readonly type: string }>
      assert.isDefined(example)
      picture.hear(example, now)
    }
    assert.strictEqual(picture.fills.length, 1)
    assert.strictEqual(picture.prices.size, 1)
  })
})

describe("the words of the live page", () => {
  it("are as exact as is of use", () => {
    assert.deepStrictEqual([40, 12_340, 300_000, 9_000_000].map(duration), ["0.0 s", "12 s", "5 min", "3 h"])
    assert.deepStrictEqual([97_123.4, 2.4, 0.18128].map(coinPrice), ["97,123.40", "2.400", "0.18128"])
    assert.deepStrictEqual([0.425, 0.009].map(sharePrice), ["42.5¢", "0.9¢"])
    assert.strictEqual(dollars(1234.5), "$1,234.50")
  })

  it("say why a connection was refused, and whether to try again", () => {
    const at = (status: number | undefined) => whyRefused(status, "as the service says", "ws://here")
    assert.deepStrictEqual(
      [401, 403, 429, 503, 200, undefined].map((status) => at(status).final),
      [true, true, false, false, false, false],
    )
    assert.match(at(401).words, /not known/)
    assert.match(at(403).words, /revoked/)
    assert.strictEqual(at(429).words, "as the service says")
    assert.match(at(200).words, /ws:\/\/here/)
    assert.match(at(undefined).words, /does not answer/)
  })
})
