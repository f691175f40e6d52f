import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import type { Token } from "#src/simulator/world/Venue.ts"
import { defined, type Json, served } from "./clobWorld.ts"

const world = served(2, "tiny")
const { sim, venue, get, post, send, open, listed, tokensOf, matches, busiest } = world

interface Row {
  readonly price: string
  readonly size: string
}

const levels = (rows: ReadonlyArray<Row>) => rows.map(({ price, size }) => [Number(price), Number(size)])
const bookOf = ({ market, outcome }: Token) => sim.model.world.bookAt(market, outcome, sim.now())
const shown = (side: ReadonlyArray<{ price: number; shares: number }>) =>
  side.map(({ price, shares }) => [price / 1000, shares / 1e6]).reverse()

const status = (target: string, method = "GET", body = "") => send(target, method, body).status
const error = (target: string, method = "GET", body = "") => JSON.parse(send(target, method, body).body).error

/** Markets of all kinds and ages. */
const sample = open().filter((_, index) => index % 20 === 0)
const [first, second] = tokensOf(busiest())
const resolved = tokensOf(defined(listed().find(({ payouts }) => payouts !== undefined)))[0]

describe("clob order book routes", () => {
  it("a book lists the world's levels with the best one last on both sides", () => {
    for (const token of sample.flatMap(tokensOf)) {
      const book = get(`/book?token_id=${token.id}`)
      const { bids, asks } = bookOf(token)
      assert.deepStrictEqual(levels(book.bids), shown(bids))
      assert.deepStrictEqual(levels(book.asks), shown(asks))
      const best = Number(book.bids.at(-1).price)
      assert.isBelow(best, Number(book.asks.at(-1).price))
      for (const { price } of book.bids) assert.isAtMost(Number(price), best)
    }
  })

  it("a book has the fields and types that the venue's clients read", () => {
    const book = get(`/book?token_id=${first.id}`)
    assert.deepStrictEqual(Object.keys(book), [
      "market",
      "asset_id",
      "timestamp",
      "hash",
      "bids",
      "asks",
      "min_order_size",
      "tick_size",
      "neg_risk",
      "last_trade_price",
    ])
    assert.strictEqual(book.market, first.market.conditionId)
    assert.strictEqual(book.asset_id, first.id)
    assert.match(book.timestamp, /^\d{13}$/)
    assert.isAtMost(Number(book.timestamp), sim.now())
    assert.include(["0.01", "0.001"], book.tick_size)
    assert.strictEqual(book.neg_risk, first.market.event.plan.negRisk)
    assert.isString(book.last_trade_price)
  })

  it("the book hash matches the venue's client and is stable", () => {
    const target = `/book?token_id=${second.id}`
    const book = get(target)
    const content = JSON.stringify({ ...book, hash: "" })
    assert.strictEqual(book.hash, createHash("sha1").update(content).digest("hex"))
    assert.strictEqual(send(target).body, send(target).body)
  })

  it("the books of both outcomes are mirror images", () => {
    const [one, other] = [first, second].map(({ id }) => get(`/book?token_id=${id}`))
    const mirrored = (rows: ReadonlyArray<Row>) =>
      levels(rows).map(([price = 0, size]) => [Math.round(1000 - price * 1000) / 1000, size])
    assert.deepStrictEqual(levels(one.bids), mirrored(other.asks))
    assert.deepStrictEqual(levels(one.asks), mirrored(other.bids))
  })

  it("price, midpoint and spread follow from the best bid and ask", () => {
    for (const token of sample.slice(0, 40).flatMap(tokensOf)) {
      const { bids, asks } = bookOf(token)
      const [bid, ask] = [defined(bids[0]).price, defined(asks[0]).price]
      const one = (path: string) => get(`${path}token_id=${token.id}`)
      assert.deepStrictEqual(one("/price?side=BUY&"), { price: String(bid / 1000) })
      assert.deepStrictEqual(one("/price?side=sell&"), { price: String(ask / 1000) })
      assert.deepStrictEqual(one("/midpoint?"), { mid: String((bid + ask) / 2000) })
      assert.deepStrictEqual(one("/spread?"), { spread: String((ask - bid) / 1000) })
      assert.deepStrictEqual(one("/tick-size?"), { minimum_tick_size: sim.model.world.tickOf(token.market) / 1000 })
      assert.deepStrictEqual(one("/neg-risk?"), { neg_risk: token.market.event.plan.negRisk })
      assert.deepStrictEqual(one("/fee-rate?"), { base_fee: token.market.plan.fees === undefined ? 0 : 1000 })
    }
  })

  it("the last trade price is in terms of the requested outcome", () => {
    let traded = 0
    for (const market of sample) {
      const last = matches(market).at(-1)
      for (const token of tokensOf(market)) {
        const reported = get(`/last-trade-price?token_id=${token.id}`)
        if (last === undefined) assert.deepStrictEqual(reported, { price: "0.5", side: "" })
        else {
          const own = last.token === token.index
          assert.closeTo(Number(reported.price), own ? last.price : 1 - last.price, 1e-9)
          assert.strictEqual(reported.side, own === last.buys ? "BUY" : "SELL")
          assert.strictEqual(get(`/book?token_id=${token.id}`).last_trade_price, reported.price)
          traded += 1
        }
      }
    }
    assert.isAbove(traded, 20)
  })
})

describe("clob batch routes", () => {
  const tokens = sample.slice(0, 30).flatMap(tokensOf)
  const queries = tokens.map(({ id }) => ({ token_id: id }))

  it("a batch returns the same values as single requests", () => {
    const single = (path: string, name: string) =>
      Object.fromEntries(tokens.map(({ id }) => [id, get(`${path}?token_id=${id}`)[name]]))
    const books: ReadonlyArray<Json> = post("/books", queries)
    const byToken = new Map(books.map((book) => [book["asset_id"], book]))
    assert.deepStrictEqual(
      tokens.map(({ id }) => byToken.get(id)),
      tokens.map(({ id }) => get(`/book?token_id=${id}`)),
    )
    // In another order than requested.
    assert.notDeepEqual(
      books.map((book) => book["asset_id"]),
      tokens.map(({ id }) => id),
    )
    assert.deepStrictEqual(post("/midpoints", queries), single("/midpoint", "mid"))
    assert.deepStrictEqual(post("/spreads", queries), single("/spread", "spread"))
    assert.deepStrictEqual(
      post("/last-trades-prices", queries),
      tokens.map(({ id }) => ({ token_id: id, ...get(`/last-trade-price?token_id=${id}`) })),
    )
    const price = (id: string, side: string) => get(`/price?token_id=${id}&side=${side}`).price
    assert.deepStrictEqual(
      post("/prices", [
        { token_id: first.id, side: "BUY" },
        { token_id: first.id, side: "SELL" },
        { token_id: second.id, side: "SELL" },
      ]),
      {
        [first.id]: { BUY: price(first.id, "BUY"), SELL: price(first.id, "SELL") },
        [second.id]: { SELL: price(second.id, "SELL") },
      },
    )
  })

  it("a batch omits tokens without a book and accepts at most 500 tokens", () => {
    const strange = [{ token_id: "1" }, { token_id: resolved.id }]
    assert.lengthOf(post("/books", [...strange, queries[0]]), 1)
    assert.deepStrictEqual(post("/midpoints", strange), {})
    const many = (count: number) => Array.from({ length: count }, () => ({ token_id: first.id, side: "BUY" }))
    for (const path of ["/books", "/prices", "/midpoints", "/spreads", "/last-trades-prices"]) {
      assert.strictEqual(status(path, "POST", JSON.stringify(many(500))), 200, path)
      assert.strictEqual(status(path, "POST", JSON.stringify(many(501))), 400, path)
    }
  })
})

describe("clobService", () => {
  it("a resolved market has no book but keeps its last trade", () => {
    for (const path of ["/book?", "/price?side=BUY&", "/midpoint?", "/spread?"]) {
      const target = `${path}token_id=${resolved.id}`
      assert.strictEqual(status(target), 404, target)
      assert.match(error(target), /No orderbook exists/)
    }
    assert.strictEqual(status(`/last-trade-price?token_id=${resolved.id}`), 200)
  })

  it("the book is empty between the end of trading and the resolution", () => {
    const market = listed().find(({ plan, payouts }) => payouts === undefined && plan.endsAt <= sim.now())
    const [token] = tokensOf(defined(market, "a market that waits for its result"))
    const book = get(`/book?token_id=${token.id}`)
    assert.deepStrictEqual([book.bids, book.asks], [[], []])
    assert.deepStrictEqual(get(`/midpoint?token_id=${token.id}`), { mid: "0.5" })
    assert.deepStrictEqual(get(`/price?token_id=${token.id}&side=SELL`), { price: "1" })
  })

  it("combos have no book", () => {
    const combo = venue.markets.find(({ legs, payouts }) => legs !== undefined && payouts === undefined)
    assert.strictEqual(status(`/book?token_id=${tokensOf(defined(combo, "a combo"))[0].id}`), 404)
  })

  it("invalid requests get an error response and never throw", () => {
    const bad: ReadonlyArray<readonly [number, string, string?, string?]> = [
      [400, "/book"],
      [400, "/book?token_id="],
      [400, "/book?token_id=abc"],
      [400, "/book?token_id=%00"],
      [400, "/book?token_id=NaN"],
      [400, `/book?token_id=${"9".repeat(500)}`],
      [404, "/book?token_id=1"],
      [404, `/book?token_id=${"9".repeat(78)}`],
      [400, `/price?token_id=${first.id}`],
      [400, `/price?token_id=${first.id}&side=HOLD`],
      [405, "/book", "POST"],
      [405, "/books"],
      [405, "/markets", "DELETE"],
      [404, "/nothing"],
      [404, "/"],
      [404, "/markets/0x00"],
      [404, "/markets/%00"],
      [400, "/markets/%E0%A4%A"],
      [404, "/markets-by-token/12"],
      [404, "/clob-markets/__proto__"],
      [404, "/fees/builder-fees/0x12"],
      [400, "/builder/trades"],
      [400, "/markets?next_cursor=%21%21"],
      [400, "/markets?next_cursor=LTI%3D"],
      [400, "/prices-history"],
      [400, `/prices-history?market=${first.id}`],
      [400, `/prices-history?market=${first.id}&interval=2d`],
      [400, `/prices-history?market=${first.id}&interval=__proto__`],
      [400, `/prices-history?market=${first.id}&interval=1d&fidelity=0`],
      [400, `/prices-history?market=${first.id}&interval=1d&fidelity=x`],
      [400, `/prices-history?market=${first.id}&startTs=NaN&endTs=1`],
      [400, `/prices-history?market=${first.id}&startTs=5&endTs=1`],
      ...["", "{", "null", "{}", '"x"', "[1]", "[null]", '[{"token_id":1}]', '[{"side":"BUY"}]', "\u0000"].map(
        (body) => [400, "/books", "POST", body] as const,
      ),
      [400, "/prices", "POST", `[{"token_id":"${first.id}","side":"HOLD"}]`],
      [400, "/prices", "POST", `[{"token_id":"${first.id}","side":7}]`],
      ...["", "[]", "{}", '{"markets":[]}', '{"markets":[1],"interval":"1d"}', '{"markets":["1"],"interval":7}'].map(
        (body) => [400, "/batch-prices-history", "POST", body] as const,
      ),
      [400, "/batch-prices-history", "POST", `{"markets":["${first.id}"],"start_ts":1e999}`],
      [400, "/batch-prices-history", "POST", `{"markets":["${first.id}"],"interval":"1d","fidelity":1.5}`],
    ]
    for (const [expected, target, method, body] of bad) {
      assert.strictEqual(status(target, method, body), expected, `${method} ${target} ${body}`)
      assert.isString(error(target, method, body), target)
    }
  })

  it("the time route returns the simulated time", () => {
    assert.strictEqual(get("/time"), Math.floor(sim.now() / 1000))
    assert.strictEqual(get("/ok"), "OK")
    const rows: ReadonlyArray<Json> = post("/books", [])
    assert.deepStrictEqual(rows, [])
  })
})
