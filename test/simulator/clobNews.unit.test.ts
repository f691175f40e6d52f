import { assert, describe, it } from "@effect/vitest"
import { Act } from "#src/simulator/world/Facts.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import { idsOf, kind, type Rows, socketServed, subscription } from "./clobSocketWorld.ts"
import { defined, type Json } from "./clobWorld.ts"

const { sim, world, facts, venue, open, tokensOf, matchOf, connect, booksOf, busy } = socketServed(5)

describe("Trades on the market socket", () => {
  it("are told once each, to who follows the token, followed by the books of both outcomes", async () => {
    sim.setRate(40)
    const client = await connect()
    const tokens = busy(40)
    client.say(subscription(tokens))
    await client.heard()
    const from = facts.length
    sim.advance(120_000)
    const messages = await client.heard()
    const followed = new Set(tokens.map(({ index }) => index))
    const expected: Array<Json> = []
    for (let act = from; act < facts.length; act++) {
      const own = facts.firstFill.get(act) + facts.fillCount.get(act) - 1
      if (facts.kind.get(act) !== Act.match || !followed.has(facts.fillToken.get(own))) continue
      const token = defined(venue.tokens[facts.fillToken.get(own)])
      expected.push({
        event_type: "last_trade_price",
        market: token.market.conditionId,
        asset_id: token.id,
        price: String(matchOf(act).price),
        size: String(facts.shares.get(own) / 1e6),
        side: facts.side.get(own) === 0 ? "BUY" : "SELL",
        fee_rate_bps: token.market.plan.fees === undefined ? "0" : "1000",
        timestamp: String(facts.at.get(act)),
        transaction_hash: sim.chain.transactionHash(act),
      })
    }
    assert.isAbove(expected.length, 10)
    assert.deepStrictEqual(messages.filter(kind("last_trade_price")), expected)
    messages.forEach((message, place) => {
      if (!kind("last_trade_price")(message)) return
      const after = messages.slice(place + 1).filter(({ market }) => market === message["market"])
      assert.include(["book", "tick_size_change"], after[0]?.["event_type"])
      assert.isDefined(after.find((each) => kind("book")(each) && each["asset_id"] === message["asset_id"]))
    })
  })
})

describe("News on the market socket", () => {
  const isNear = (market: Market) => world.tickOf(market) === 10 && (market.last < 60 || market.last > 940)

  it("tells finer steps when a market nears certainty", async () => {
    sim.setRate(200)
    const near = open().filter(isNear)
    assert.isNotEmpty(near)
    const client = await connect()
    client.say(subscription(near.flatMap(tokensOf), { initial_dump: false }))
    await client.heard()
    for (let turn = 0; turn < 200 && near.every((market) => world.tickOf(market) === 10); turn++) sim.advance(10_000)
    const finer = near.filter((market) => world.tickOf(market) === 1).flatMap(tokensOf)
    const told = (await client.heard()).filter(kind("tick_size_change"))
    assert.isNotEmpty(finer)
    assert.sameMembers(
      told.map(({ asset_id }) => asset_id),
      idsOf(finer),
    )
    for (const message of told) assert.deepInclude(message, { old_tick_size: "0.01", new_tick_size: "0.001" })
  })

  it("tells new markets, results and best prices, only to who enabled them", async () => {
    sim.setRate(5)
    const ending = open()
      .filter(({ plan }) => plan.resolvesAt < sim.now() + 900_000)
      .slice(0, 20)
    assert.isNotEmpty(ending)
    const tokens = [...ending.flatMap(tokensOf), ...busy(10)]
    const [plain, custom] = [await connect(), await connect()]
    plain.say(subscription(tokens))
    custom.say(subscription(tokens, { custom_feature_enabled: true }))
    await Promise.all([plain.heard(), custom.heard()])
    const [from, known] = [facts.length, venue.markets.length]
    for (let turn = 0; turn < 90; turn++) sim.advance(10_000)
    const [plainHeard, heard] = [await plain.heard(), await custom.heard()]
    const extra = ["best_bid_ask", "new_market", "market_resolved"]
    assert.isEmpty(plainHeard.filter(({ event_type }) => extra.includes(String(event_type))))
    assert.deepStrictEqual(
      heard.filter(({ event_type }) => !extra.includes(String(event_type))),
      plainHeard,
    )

    const listed = venue.markets.slice(known).filter(({ legs }) => legs === undefined)
    assert.isNotEmpty(listed)
    assert.deepStrictEqual(
      heard.filter(kind("new_market")).map(({ id, market, slug, assets_ids }) => ({ id, market, slug, assets_ids })),
      listed.map((market) => ({
        id: market.id,
        market: market.conditionId,
        slug: market.plan.slug,
        assets_ids: idsOf(tokensOf(market)),
      })),
    )

    const results = Array.from({ length: facts.length - from }, (_, place) => from + place)
      .filter((act) => facts.kind.get(act) === Act.resolve)
      .map((act) => defined(venue.markets[facts.market.get(act)]))
      .filter((market) => ending.includes(market))
    assert.sameMembers(results, ending)
    assert.deepStrictEqual(
      heard.filter(kind("market_resolved")).map(({ market, winning_asset_id }) => [market, winning_asset_id]),
      results.map((market) => {
        const [first, second] = defined(market.payouts)
        return [market.conditionId, first === second ? "" : defined(tokensOf(market)[first > second ? 0 : 1]).id]
      }),
    )

    const best = new Map(heard.filter(kind("best_bid_ask")).map((message) => [message["asset_id"], message]))
    let compared = 0
    for (const book of booksOf(tokens)) {
      const message = best.get(book["asset_id"])
      if (message === undefined) continue
      const [bid, ask] = [(book["bids"] as Rows).at(-1)?.price, (book["asks"] as Rows).at(-1)?.price]
      assert.deepInclude(message, { best_bid: bid, best_ask: ask })
      assert.closeTo(Number(message["spread"]), Number(ask) - Number(bid), 1e-9)
      compared += 1
    }
    assert.isAbove(compared, 3)
    for (const token of ending.flatMap(tokensOf)) {
      assert.deepInclude(best.get(token.id) ?? {}, { best_bid: "", best_ask: "", spread: "" })
    }
  })

  it("goes on for the others when a connection is closed", async () => {
    const tokens = busy(5)
    const [one, other] = [await connect(), await connect()]
    for (const client of [one, other]) client.say(subscription(tokens))
    await Promise.all([one.heard(), other.heard()])
    await one.close()
    sim.advance(60_000)
    assert.isNotEmpty(await other.heard())
  })
})
