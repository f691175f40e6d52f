import { assert, describe, it } from "@effect/vitest"
import { gammaService } from "#src/simulator/gamma/gammaService.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import { defined, type Json, served } from "./clobWorld.ts"

const { sim, world, get, listed, open, tokensOf, matches } = served(9, "tiny")
const gamma = gammaService(sim)

const fromGamma = (target: string) => {
  const { pathname, searchParams } = new URL(target, "http://gamma")
  const { status, body } = gamma({
    method: "GET",
    path: pathname,
    query: searchParams,
    target,
    headers: {},
    body: "",
  })
  assert.strictEqual(status, 200, body)
  return JSON.parse(body)
}
const shown = ({ id }: Market): Json => fromGamma(`/markets/${id}`)
const pricesOf = (row: Json): ReadonlyArray<number> => JSON.parse(String(row["outcomePrices"])).map(Number)

/** Trading has ended, and the result is not yet reported. */
const ended = () => listed().filter(({ plan, payouts }) => plan.endsAt <= sim.now() && payouts === undefined)

describe("gamma and clob", () => {
  it("both report an empty book after the end of trading", () => {
    for (let turn = 0; turn < 60 && ended().length < 5; turn++) sim.advance(60_000)
    const markets = ended()
    assert.isAtLeast(markets.length, 5)
    for (const market of markets) {
      const [first] = tokensOf(market)
      assert.deepInclude(get(`/book?token_id=${first.id}`), { bids: [], asks: [] })
      const row = shown(market)
      assert.include(row, { closed: false, acceptingOrders: false, bestBid: 0, bestAsk: 1, spread: 1, liquidityNum: 0 })
      const own = get(`/markets/${market.conditionId}`)
      assert.strictEqual(own.accepting_orders, false)
    }
    const slugs = new Set(markets.map(({ plan }) => plan.slug))
    for (const order of ["bestBid", "bestAsk", "spread"]) {
      const rows: ReadonlyArray<Json> = fromGamma(`/markets/keyset?order=${order}&ascending=true&limit=100`).markets
      assert.isTrue(
        rows.every((row) => !slugs.has(String(row["slug"]))),
        order,
      )
    }
  })

  it("both report the same prices before and after the end of trading", () => {
    // Both see the same time only on whole seconds, and the same trades only once in a block.
    sim.settle()
    for (const market of [...ended(), ...open().filter((_, index) => index % 25 === 0)]) {
      const prices = get(`/markets/${market.conditionId}`).tokens.map(({ price }: { price: number }) => price)
      const [first = 0, second = 0] = pricesOf(shown(market))
      assert.closeTo(first, prices[0], 0.0151, market.plan.slug)
      assert.closeTo(first + second, 1, 1e-9)
      if (ended().includes(market)) assert.strictEqual(first, prices[0], market.plan.slug)
    }
  })

  it("the last price of both is that of the last filled maker order", () => {
    sim.settle()
    const traded = listed().filter((market) => matches(market).length > 0)
    let offAverage = 0
    for (const market of traded.filter((_, index) => index % 5 === 0)) {
      const [first, second] = tokensOf(market)
      const last = defined(matches(market).at(-1))
      const price = last.token === first.index ? last.price : 1 - last.price
      const row = shown(market)
      const tick = market.nearCertain || market.plan.tickSize === "0.001" ? 1 : 10
      assert.closeTo(Number(row["lastTradePrice"]), price, 1e-9, market.plan.slug)
      assert.strictEqual(Math.round(price * 1000) % tick, 0, market.plan.slug)
      assert.strictEqual(Number(get(`/last-trade-price?token_id=${first.id}`).price), Number(row["lastTradePrice"]))
      assert.closeTo(Number(get(`/last-trade-price?token_id=${second.id}`).price), 1 - price, 1e-9)
      const { facts } = world
      const own = facts.firstFill.get(last.tx) + facts.fillCount.get(last.tx) - 1
      if (Math.abs(facts.usd.get(own) / facts.shares.get(own) - last.price) > 1e-9) offAverage += 1
    }
    assert.isAbove(offAverage, 5)
  })
})

describe("gamma up/down event", () => {
  it("has the same resolution source as its market", () => {
    const markets = open().filter(({ plan }) => plan.rule.kind === "updown")
    assert.isNotEmpty(markets)
    for (const { event, id } of markets.slice(0, 20)) {
      const row = fromGamma(`/events/${event.id}`)
      const [own] = row.markets
      assert.match(row.resolutionSource, /^https:\/\/(data\.chain\.link|www\.binance\.com)\//)
      assert.strictEqual(row.resolutionSource, own.resolutionSource)
      assert.strictEqual(fromGamma(`/markets/${id}`).events[0].resolutionSource, own.resolutionSource)
    }
    const other = defined(open().find(({ plan }) => plan.rule.kind === "fate"))
    assert.strictEqual(fromGamma(`/events/${other.event.id}`).resolutionSource, "")
  })
})
