import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Chain, ClobClient, PriceHistoryInterval, Side } from "@polymarket/clob-client-v2"
import { clobService } from "#src/simulator/clob/clobService.ts"
import { makeServer } from "#src/simulator/server.ts"
import { rewardsOf } from "#src/simulator/world/MakerPayouts.ts"
import type { Token } from "#src/simulator/world/Venue.ts"
import { defined, served } from "../clobWorld.ts"

const { sim, world, facts, venue, listed, open, tokensOf, matches, busiest } = served(6, "tiny")
const faults: Array<unknown> = []
const server = makeServer({ services: { "/clob": clobService(sim) }, sockets: {} }, (error) => faults.push(error))

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  assert.deepStrictEqual(faults, [])
})

const client = () =>
  new ClobClient({ host: `http://127.0.0.1:${(server.address() as AddressInfo).port}/clob`, chain: Chain.POLYGON })

const sample = [busiest(), ...open().filter((_, index) => index % 150 === 0)].flatMap(tokensOf)
const queries = sample.map(({ id }) => ({ token_id: id, side: Side.BUY }))
const bookOf = ({ market, outcome }: Token) => world.bookAt(market, outcome, sim.now())
const best = (token: Token) => {
  const { bids, asks } = bookOf(token)
  return { bid: defined(bids[0]).price, ask: defined(asks[0]).price }
}
const byToken = (of: (token: Token) => string) => Object.fromEntries(sample.map((token) => [token.id, of(token)]))

describe("official CLOB client on the simulator", () => {
  it("reads books and verifies their hash", async () => {
    const books = await client().getOrderBooks(queries)
    assert.lengthOf(books, sample.length)
    for (const token of sample) {
      const book = await client().getOrderBook(token.id)
      assert.deepStrictEqual(
        book,
        books.find(({ asset_id }) => asset_id === token.id),
      )
      const { bids, asks } = bookOf(token)
      for (const [rows, side] of [
        [book.bids, bids],
        [book.asks, asks],
      ] as const) {
        assert.deepStrictEqual(
          rows.map(({ price, size }) => [Number(price), Number(size)]),
          side.map(({ price, shares }) => [price / 1000, shares / 1e6]).reverse(),
        )
      }
      const { hash } = book
      assert.strictEqual(await client().getOrderBookHash(book), hash)
    }
  })

  it("reads prices, midpoints and spreads", async () => {
    const [token] = sample
    const { bid, ask } = best(defined(token))
    const { id } = defined(token)
    assert.deepStrictEqual(await client().getPrice(id, Side.BUY), { price: String(bid / 1000) })
    assert.deepStrictEqual(await client().getPrice(id, Side.SELL), { price: String(ask / 1000) })
    assert.deepStrictEqual(await client().getMidpoint(id), { mid: String((bid + ask) / 2000) })
    assert.deepStrictEqual(await client().getSpread(id), { spread: String((ask - bid) / 1000) })
    assert.deepStrictEqual(
      await client().getMidpoints(queries),
      byToken((each) => String((best(each).bid + best(each).ask) / 2000)),
    )
    assert.deepStrictEqual(
      await client().getSpreads(queries),
      byToken((each) => String((best(each).ask - best(each).bid) / 1000)),
    )
    assert.deepStrictEqual(
      await client().getPrices(queries),
      Object.fromEntries(sample.map((each) => [each.id, { BUY: String(best(each).bid / 1000) }])),
    )
  })

  it("computes the price of a market order from the book", async () => {
    const [token] = sample
    const { asks } = bookOf(defined(token))
    const cheapest = defined(asks[0])
    const { id } = defined(token)
    assert.strictEqual(await client().calculateMarketPrice(id, Side.BUY, 1), cheapest.price / 1000)
    const whole = (cheapest.price / 1000) * (cheapest.shares / 1e6)
    assert.strictEqual(await client().calculateMarketPrice(id, Side.BUY, whole + 1), defined(asks[1]).price / 1000)
  })

  it("reads last trades and price history", async () => {
    const trades = await client().getLastTradesPrices(queries)
    for (const [index, token] of sample.entries()) {
      const last = matches(token.market).at(-1)
      if (last === undefined) continue
      const price = last.token === token.index ? last.price : 1 - last.price
      assert.closeTo(Number((await client().getLastTradePrice(token.id)).price), price, 1e-9)
      assert.closeTo(Number(trades[index].price), price, 1e-9)
      // Declared as a list of points, but the service returns an object.
      const answer: unknown = await client().getPricesHistory({
        market: token.id,
        interval: PriceHistoryInterval.ONE_DAY,
        fidelity: 5,
      })
      const { history } = answer as { readonly history: ReadonlyArray<{ readonly t: number; readonly p: number }> }
      assert.closeTo(defined(history.at(-1)).p, price, 1e-9)
      assert.strictEqual(defined(history.at(-1)).t, Math.floor(sim.now() / 1000))
    }
  })

  it("reads tick size, negative risk and fees", async () => {
    for (const token of sample) {
      const { market } = token
      const one = client()
      assert.strictEqual(await one.getTickSize(token.id), String(world.tickOf(market) / 1000))
      assert.strictEqual(await one.getNegRisk(token.id), market.event.plan.negRisk)
      assert.strictEqual(await one.getFeeRateBps(token.id), market.plan.fees === undefined ? 0 : 1000)
      assert.strictEqual(await one.getFeeExponent(token.id), market.plan.fees?.exponent ?? 0)
      const info = await one.getClobMarketInfo(market.conditionId)
      assert.deepStrictEqual(
        info.t.map(({ t }) => t),
        tokensOf(market).map(({ id }) => id),
      )
    }
  })

  it("pages through all markets and the rewards", async () => {
    const pages = async (
      read: (cursor?: string) => Promise<{ data: ReadonlyArray<{ condition_id: string }>; next_cursor: string }>,
    ) => {
      const ids: Array<string> = []
      for (let cursor: string | undefined; cursor !== "LTE="; ) {
        const page = await read(cursor)
        ids.push(...page.data.map(({ condition_id }) => condition_id))
        cursor = page.next_cursor
      }
      return ids
    }
    const one = client()
    const all = listed().map(({ conditionId }) => conditionId)
    const paid = open()
      .filter((market) => rewardsOf(market).daily > 0)
      .map(({ conditionId }) => conditionId)
    assert.deepStrictEqual(await pages((cursor) => one.getSimplifiedMarkets(cursor)), all)
    assert.deepStrictEqual(await pages((cursor) => one.getSamplingMarkets(cursor)), paid)
    const rewards = await one.getCurrentRewards()
    assert.deepStrictEqual(
      rewards.map(({ condition_id }) => condition_id),
      paid,
    )
    const [first] = paid
    assert.lengthOf(await one.getRawRewardsForMarket(defined(first)), 1)
    assert.strictEqual((await one.getMarket(defined(first))).condition_id, first)
    assert.lengthOf((await one.getMarkets()).data, 500)
  })

  it("reads the trades of a builder", async () => {
    const [builder] = sim.model.builders
    const { code } = defined(builder)
    const { trades } = await client().getBuilderTrades({ builder_code: code })
    const newest = Array.from({ length: facts.fills }, (_, fill) => fill).findLast(
      (fill) => facts.builder.get(fill) === 1 && venue.tokens[facts.fillToken.get(fill)]?.market.legs === undefined,
    )
    assert.strictEqual(trades[0]?.transactionHash, sim.chain.transactionHash(facts.txOf(defined(newest))))
  })

  it("reads the time, and errors as errors", async () => {
    assert.strictEqual(await client().getServerTime(), Math.floor(sim.now() / 1000))
    assert.strictEqual(await client().getOk(), "OK")
    const answer: unknown = await client().getOrderBook("1")
    assert.deepStrictEqual(answer, { error: "No orderbook exists for the requested token id", status: 404 })
  })
})
