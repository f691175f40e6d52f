import { assert, describe, it } from "@effect/vitest"
import { TxKind } from "#src/simulator/world/Facts.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import { idsOf, kind, type Rows, socketServed, subscription } from "./clobSocketWorld.ts"
import { defined, type Json } from "./clobWorld.ts"

const { sim, world, facts, venue, open, tokensOf, matchOf, connect, booksOf, busy } = socketServed(5)

describe("market socket trades", () => {
  it("each trade is sent once to subscribers of the token, followed by the books of both outcomes", async () => {
    sim.setRate(40)
    const client = await connect()
    const tokens = busy(40)
    client.send(subscription(tokens))
    await client.received()
    const from = facts.length
    sim.advance(120_000)
    const messages = await client.received()
    const followed = new Set(tokens.map(({ index }) => index))
    const expected: Array<Json> = []
    for (let tx = from; tx < facts.length; tx++) {
      const own = facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1
      if (facts.kind.get(tx) !== TxKind.match || !followed.has(facts.fillToken.get(own))) continue
      const token = defined(venue.tokens[facts.fillToken.get(own)])
      expected.push({
        event_type: "last_trade_price",
        market: token.market.conditionId,
        asset_id: token.id,
        price: String(matchOf(tx).price),
        size: String(facts.shares.get(own) / 1e6),
        side: facts.side.get(own) === 0 ? "BUY" : "SELL",
        fee_rate_bps: token.market.plan.fees === undefined ? "0" : "1000",
        timestamp: String(facts.at.get(tx)),
        transaction_hash: sim.chain.transactionHash(tx),
      })
    }
    assert.isAbove(expected.length, 10)
    assert.deepStrictEqual(messages.filter(kind("last_trade_price")), expected)
    messages.forEach((message, index) => {
      if (!kind("last_trade_price")(message)) return
      const after = messages.slice(index + 1).filter(({ market }) => market === message["market"])
      assert.include(["book", "tick_size_change"], after[0]?.["event_type"])
      assert.isDefined(after.find((each) => kind("book")(each) && each["asset_id"] === message["asset_id"]))
    })
  })
})

describe("market socket events", () => {
  const isNear = (market: Market) => world.tickOf(market) === 10 && (market.last < 60 || market.last > 940)

  it("a tick size change is sent when a market nears certainty", async () => {
    sim.setRate(200)
    const near = open().filter(isNear)
    assert.isNotEmpty(near)
    const client = await connect()
    client.send(subscription(near.flatMap(tokensOf), { initial_dump: false }))
    await client.received()
    for (let turn = 0; turn < 200 && near.every((market) => world.tickOf(market) === 10); turn++) sim.advance(10_000)
    const finer = near.filter((market) => world.tickOf(market) === 1).flatMap(tokensOf)
    const changes = (await client.received()).filter(kind("tick_size_change"))
    assert.isNotEmpty(finer)
    assert.sameMembers(
      changes.map(({ asset_id }) => asset_id),
      idsOf(finer),
    )
    for (const message of changes) assert.deepInclude(message, { old_tick_size: "0.01", new_tick_size: "0.001" })
  })

  it("new markets, resolutions and best prices are sent only to clients that enabled them", async () => {
    sim.setRate(5)
    const ending = open()
      .filter(({ plan }) => plan.resolvesAt < sim.now() + 390_000)
      .slice(0, 20)
    assert.isNotEmpty(ending)
    const tokens = [...ending.flatMap(tokensOf), ...busy(10)]
    const [plain, custom] = [await connect(), await connect()]
    plain.send(subscription(tokens))
    custom.send(subscription(tokens, { custom_feature_enabled: true }))
    await Promise.all([plain.received(), custom.received()])
    const [from, marketsBefore] = [facts.length, venue.markets.length]
    for (let turn = 0; turn < 20; turn++) sim.advance(20_000)
    const [plainMessages, customMessages] = [await plain.received(), await custom.received()]
    const extra = ["best_bid_ask", "new_market", "market_resolved"]
    assert.isEmpty(plainMessages.filter(({ event_type }) => extra.includes(String(event_type))))
    assert.deepStrictEqual(
      customMessages.filter(({ event_type }) => !extra.includes(String(event_type))),
      plainMessages,
    )

    const listed = venue.markets.slice(marketsBefore).filter(({ legs }) => legs === undefined)
    assert.isNotEmpty(listed)
    assert.deepStrictEqual(
      customMessages
        .filter(kind("new_market"))
        .map(({ id, market, slug, assets_ids }) => ({ id, market, slug, assets_ids })),
      listed.map((market) => ({
        id: market.id,
        market: market.conditionId,
        slug: market.plan.slug,
        assets_ids: idsOf(tokensOf(market)),
      })),
    )

    const results = Array.from({ length: facts.length - from }, (_, index) => from + index)
      .filter((tx) => facts.kind.get(tx) === TxKind.resolve)
      .map((tx) => defined(venue.markets[facts.market.get(tx)]))
      .filter((market) => ending.includes(market))
    assert.sameMembers(results, ending)
    assert.deepStrictEqual(
      customMessages.filter(kind("market_resolved")).map(({ market, winning_asset_id }) => [market, winning_asset_id]),
      results.map((market) => {
        const [first, second] = defined(market.payouts)
        return [market.conditionId, first === second ? "" : defined(tokensOf(market)[first > second ? 0 : 1]).id]
      }),
    )

    const best = new Map(customMessages.filter(kind("best_bid_ask")).map((message) => [message["asset_id"], message]))
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

  it("closing one connection does not affect the others", async () => {
    const tokens = busy(5)
    const [one, other] = [await connect(), await connect()]
    for (const client of [one, other]) client.send(subscription(tokens))
    await Promise.all([one.received(), other.received()])
    await one.close()
    sim.advance(60_000)
    assert.isNotEmpty(await other.received())
  })
})
