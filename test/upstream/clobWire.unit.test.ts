import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { readBook, WireBook } from "#src/upstream/clob/bookWire.ts"
import { Micro, showDecimal } from "#src/upstream/clob/decimal.ts"
import * as wire from "#src/upstream/clob/restWire.ts"
import { decodeFrame } from "#src/upstream/clob/socketWire.ts"

const condition = `0x${"aB".repeat(32)}`
const lower = "ab".repeat(32)
const at = "1789000000123"

const bookText = {
  market: condition,
  asset_id: "1",
  timestamp: at,
  hash: "0".repeat(40),
  bids: [
    { price: "0.01", size: "100" },
    { price: ".48", size: "30.5" },
  ],
  asks: [
    { price: "0.99", size: "7" },
    { price: "0.52", size: "0.000001" },
  ],
  min_order_size: "5",
  tick_size: "0.01",
  neg_risk: false,
  last_trade_price: "0.28",
}

const oneOf = (frame: unknown) => decodeFrame(JSON.stringify(frame))
const micro = Schema.decodeUnknownResult(Micro)

describe("Order book messages", () => {
  it("have decimals that are read as whole numbers without floating point", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (value) => {
        assert.deepStrictEqual(micro(showDecimal(value)), Result.succeed(value))
      }),
    )
    for (const [text, value] of [
      ["0", 0],
      ["1", 1_000_000],
      [".5", 500_000],
      ["0.29", 290_000],
      ["123456789.123456", 123_456_789_123_456],
      ["0.1234565", 123_457],
      ["0.1234564", 123_456],
      ["1.", 1_000_000],
    ] as const) {
      assert.deepStrictEqual(micro(text), Result.succeed(value), text)
    }
    for (const text of ["", ".", "-1", "1e3", "0x1", " 1", "1,5", "NaN", "99999999999", 0.5, null]) {
      assert.isTrue(Result.isFailure(micro(text)), String(text))
    }
  })

  it("have books that are sorted with the best level first", () => {
    const book = readBook(Schema.decodeUnknownSync(WireBook)(bookText))
    assert.deepStrictEqual(book, {
      token: "1",
      condition: lower,
      at: 1_789_000_000_123,
      hash: "0".repeat(40),
      bids: [
        { price: 480_000, size: 30_500_000 },
        { price: 10_000, size: 100_000_000 },
      ],
      asks: [
        { price: 520_000, size: 1 },
        { price: 990_000, size: 7_000_000 },
      ],
      tickSize: 10_000,
      minOrderSize: 5_000_000,
      lastTradePrice: 280_000,
    })
    const never = readBook(Schema.decodeUnknownSync(WireBook)({ ...bookText, last_trade_price: "" }))
    assert.isUndefined(never.lastTradePrice)
  })

  it("have midpoints under either name and last trades with or without a side", () => {
    const midpoint = (body: unknown) => wire.readMidpoint(Schema.decodeUnknownSync(wire.WireMidpoint)(body))
    assert.strictEqual(midpoint({ mid: "0.525" }), 525_000)
    assert.strictEqual(midpoint({ mid_price: "0.525" }), 525_000)
    assert.isUndefined(midpoint({ mid: "" }))
    const trade = (body: unknown) => wire.readLastTrade("1", Schema.decodeUnknownSync(wire.WireLastTrade)(body))
    assert.deepStrictEqual(trade({ price: "0.5", side: "BUY" }), { token: "1", price: 500_000, side: "buy" })
    assert.isUndefined(trade({ price: "0.5", side: "" }))
    const history = Schema.decodeUnknownSync(wire.WireHistory)({ history: [{ t: 1_789_000_000, p: 0.29 }] })
    assert.deepStrictEqual(wire.readPoints(history.history), [{ at: 1_789_000_000_000, price: 290_000 }])
  })

  it("of all seven types are decoded, one by one or in lists", () => {
    const about = { market: condition, timestamp: at }
    const change = { asset_id: "1", price: "0.5", size: "0", side: "SELL", hash: "x", best_bid: "0.48", best_ask: "" }
    const frames = [
      { event_type: "book", ...bookText },
      { event_type: "price_change", ...about, price_changes: [change, { ...change, asset_id: "2", side: "BUY" }] },
      {
        event_type: "last_trade_price",
        ...about,
        asset_id: "1",
        price: "0.456",
        size: "219.217767",
        side: "BUY",
        fee_rate_bps: "0",
      },
      { event_type: "tick_size_change", ...about, asset_id: "1", old_tick_size: "0.01", new_tick_size: "0.001" },
      { event_type: "best_bid_ask", ...about, asset_id: "1", best_bid: "", best_ask: "0.52", spread: "" },
      {
        event_type: "new_market",
        ...about,
        id: "7",
        question: "Rain?",
        slug: "rain",
        assets_ids: ["1", "2"],
        outcomes: ["Yes", "No"],
        fee_schedule: null,
      },
      { event_type: "market_resolved", ...about, id: "7", assets_ids: ["1", "2"], winning_asset_id: "2" },
    ]
    const moment = Number(at)
    const expected = [
      { kind: "book", book: readBook(Schema.decodeUnknownSync(WireBook)(bookText)) },
      {
        kind: "changes",
        at: moment,
        changes: [
          { token: "1", side: "ask", price: 500_000, size: 0, bestBid: 480_000, bestAsk: undefined },
          { token: "2", side: "bid", price: 500_000, size: 0, bestBid: 480_000, bestAsk: undefined },
        ],
      },
      {
        kind: "trade",
        at: moment,
        token: "1",
        price: 456_000,
        size: 219_217_767,
        side: "buy",
        feeRate: "0",
        transaction: undefined,
      },
      { kind: "tick-size", at: moment, token: "1", tickSize: 1_000 },
      { kind: "best", at: moment, token: "1", bid: undefined, ask: 520_000 },
      { kind: "new-market", slug: "rain", question: "Rain?", condition: lower, tokens: ["1", "2"], at: moment },
      { kind: "resolved", winner: "2", condition: lower, tokens: ["1", "2"], at: moment },
    ]
    assert.deepStrictEqual(oneOf(frames), { events: expected, unknown: [], broken: [] } as never)
    for (const [place, frame] of frames.entries())
      assert.deepStrictEqual(oneOf(frame).events, [expected[place]] as never)
  })

  it("of unknown types or undecodable do not affect the others", () => {
    const good = { event_type: "tick_size_change", asset_id: "1", new_tick_size: "0.001", timestamp: at }
    const frame = oneOf([{ event_type: "weather", is: "fine" }, { event_type: "book", asset_id: 1 }, good, null, 5])
    assert.deepStrictEqual([frame.events.length, frame.unknown, frame.broken.length], [1, ["weather"], 3])
    assert.lengthOf(decodeFrame('{"event_type":"bo').broken, 1)
    assert.lengthOf(decodeFrame("").broken, 1)
  })
})
