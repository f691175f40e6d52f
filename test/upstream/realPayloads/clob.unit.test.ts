import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { FollowedBook } from "#src/books/FollowedBook.ts"
import { readBook, WireBook } from "#src/upstream/clob/bookWire.ts"
import * as wire from "#src/upstream/clob/restWire.ts"
import { decodeFrame } from "#src/upstream/clob/socketWire.ts"

const digits = "012def24bfb0c5c57fb236fac08b94236a0000000000000000000000000000"
const condition = `0x${digits}`
const padded = `${digits}00`

const socketBook = {
  market: condition,
  asset_id: "533",
  timestamp: "1790658661234",
  hash: "0123456789abcdef0123456789abcdef01234567",
  bids: [{ price: "0.25", size: "10" }],
  asks: [{ price: "0.26", size: "7" }],
  tick_size: "0.001",
  event_type: "book",
  last_trade_price: "0.920",
}
const restBook = { ...socketBook, min_order_size: "5", neg_risk: false, last_trade_price: "", asks: [] }

const events = (...frame: ReadonlyArray<object>) => {
  const decoded = decodeFrame(JSON.stringify(frame))
  assert.deepStrictEqual(decoded.broken, [])
  return decoded.events
}
const bookOf = (value: object) => readBook(Schema.decodeUnknownSync(WireBook)(JSON.parse(JSON.stringify(value))))
const rewardsOf = (value: object) => wire.readRewards(Schema.decodeUnknownSync(wire.WireRewards)(value))

describe("Captured order book messages", () => {
  it("A9: 31-byte conditions are padded in books, notices and rewards", () => {
    assert.strictEqual(bookOf(restBook).condition, padded)
    assert.isUndefined(bookOf(restBook).lastTradePrice)
    const notice = { market: condition, assets_ids: ["1", "2"], timestamp: "1790658661234", id: "7" }
    const [book, created, resolved] = events(
      socketBook,
      { ...notice, event_type: "new_market", slug: "s", question: "q", line: "", game_start_time: "" },
      { ...notice, event_type: "market_resolved", winning_asset_id: "1", winning_outcome: "Yes" },
    )
    assert.deepInclude(book, { kind: "book" })
    assert.deepInclude(created, { kind: "new-market", condition: padded })
    assert.deepInclude(resolved, { kind: "resolved", condition: padded, winner: "1" })
    assert.strictEqual(rewardsOf({ condition_id: condition }).condition, padded)
  })

  it("B6: notices of markets may lack tokens, slug, question and time", () => {
    const nothing = { assets_ids: null, slug: null, question: null, timestamp: null, winning_asset_id: null }
    const [created, resolved] = events(
      { event_type: "new_market", market: condition, ...nothing },
      { event_type: "market_resolved", market: condition, ...nothing },
    )
    assert.deepInclude(created, { tokens: [], slug: undefined, question: undefined, at: undefined })
    assert.deepInclude(resolved, { tokens: [], winner: undefined, at: undefined })
  })

  it("B7: a book without a hash or a time is kept, and so are its changes", () => {
    const bare = bookOf({ ...socketBook, hash: undefined, timestamp: null })
    assert.deepInclude(bare, { hash: undefined, at: undefined })
    const followed = new FollowedBook()
    assert.isUndefined(followed.applyBook(bare, 5_000))
    assert.deepInclude(followed.quote(), { bid: 250_000, ask: 260_000, updatedAt: 5_000 })
    const change = { asset_id: "533", price: "0.25", size: "0", side: "BUY", best_bid: "", best_ask: "0.26" }
    const [changes] = events({ event_type: "price_change", market: condition, price_changes: [change] })
    assert.strictEqual(changes?.kind, "changes")
    if (changes?.kind === "changes") assert.isUndefined(followed.applyChanges(changes.at, changes.changes, 6_000))
    assert.isNull(followed.quote()?.bid)
    followed.install(bookOf(socketBook), 7_000)
    assert.strictEqual(followed.quote()?.updatedAt, 1_790_658_661_234)
    assert.isUndefined(followed.applyBook(bare, 8_000), "is not taken for an older book")
  })

  it("B7: a trade without a size sets the last price, and trades may be missing", () => {
    const [trade] = events({
      event_type: "last_trade_price",
      market: condition,
      asset_id: "533",
      price: "0.255",
      size: null,
      side: "BUY",
      fee_rate_bps: "",
      timestamp: null,
      transaction_hash: "",
    })
    assert.deepInclude(trade, { kind: "trade", size: undefined, feeRate: undefined, transaction: undefined })
    const followed = new FollowedBook()
    followed.install(bookOf({ ...socketBook, last_trade_price: "" }), 5_000)
    if (trade?.kind === "trade") followed.applyTrade(trade, 6_000)
    assert.deepInclude(followed.quote()?.lastTrade, { price: 255_000, size: null, side: "buy" })
    assert.deepStrictEqual(followed.takeTrades(), { trades: [], hasMissed: true })
  })

  it("B8: all but the condition of a reward may be missing, and numbers may be strings", () => {
    const bare = {
      condition: padded,
      question: undefined,
      slug: undefined,
      eventSlug: undefined,
      image: undefined,
      minSize: undefined,
      maxSpread: undefined,
      nativeDailyRate: 0,
      sponsoredDailyRate: 0,
      totalDailyRate: 0,
      sponsors: 0,
      programmes: [],
    }
    assert.deepStrictEqual(rewardsOf({ condition_id: condition }), bare)
    const config = [{ rate_per_day: "12.5", asset_address: "0x" }, { rate_per_day: 2 }, {}]
    const { programmes, ...rewards } = rewardsOf({
      condition_id: condition,
      rewards_max_spread: 3.5,
      rewards_min_size: "200",
      rewards_config: config,
      end_date: "",
      sponsored_daily_rate: "1",
    })
    assert.deepInclude(rewards, {
      minSize: 200_000_000,
      maxSpread: 3_500_000,
      nativeDailyRate: 14_500_000,
      sponsoredDailyRate: 1_000_000,
      totalDailyRate: 15_500_000,
    })
    assert.deepStrictEqual(
      programmes.map(({ dailyRate }) => dailyRate),
      [12_500_000, 2_000_000, 0],
    )
    assert.deepStrictEqual(rewardsOf({ condition_id: condition, rewards_config: [] }), bare)
  })

  it("B9: a market whose outcomes have empty token ids is decoded without them", () => {
    const market = {
      condition_id: `0x${"ab".repeat(32)}`,
      question: "q",
      market_slug: "s",
      tokens: [
        { token_id: "", outcome: "Yes", price: 0, winner: false },
        { token_id: "12", outcome: "No", price: 1, winner: true },
      ],
      active: true,
      closed: true,
      accepting_orders: false,
      neg_risk: false,
      minimum_tick_size: 0.01,
      minimum_order_size: 15,
      rewards: { rates: null, min_size: 0, max_spread: 0 },
      neg_risk_market_id: "",
      tags: null,
    }
    const read = wire.readMarket(Schema.decodeUnknownSync(wire.WireMarket)(market))
    assert.deepStrictEqual(
      read.tokens.map(({ token }) => token),
      ["12"],
    )
  })

  it("C2: sides are read in any case", () => {
    const change = { asset_id: "533", price: "0.25", size: "1", side: "buy", best_bid: "0.25", best_ask: "0.26" }
    const [changes, trade] = events(
      { event_type: "price_change", market: condition, price_changes: [change], timestamp: "1790658661234" },
      { event_type: "last_trade_price", asset_id: "533", price: "0.5", size: "1", side: "Sell" },
    )
    assert.deepInclude(changes, { kind: "changes" })
    if (changes?.kind === "changes") assert.strictEqual(changes.changes[0]?.side, "bid")
    assert.deepInclude(trade, { side: "sell" })
  })
})
