import { assert, describe, it } from "@effect/vitest"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { windowSlug } from "#src/simulator/world/catalogue/crypto/names.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { coins } from "#src/simulator/world/oracle.ts"
import {
  day,
  defined,
  genesis,
  hour,
  ids,
  isoTime,
  type List,
  minute,
  postgresTime,
  served,
  text,
  types,
} from "./gammaWorld.ts"

const world = served(2, "tiny")

describe("gamma markets", () => {
  const { one, list, venue, marketsOf, openEvents, isOpen } = world

  it("encode arrays as strings, and amounts as strings and numbers", () => {
    for (const row of list("/markets?limit=100&order=volume")) {
      const parsed = ["outcomes", "outcomePrices", "clobTokenIds"].map((name) => JSON.parse(text(row[name])))
      for (const array of parsed) assert.lengthOf(array, 2)
      assert.match(text(row["outcomes"]), /^\[".*", ".*"\]$/)
      const [, prices, tokens] = parsed
      assert.closeTo(Number(prices[0]) + Number(prices[1]), 1, 1e-9)
      for (const token of tokens) assert.match(token, /^\d{70,78}$/)
      types(row, {
        id: "string",
        conditionId: "string",
        questionID: "string",
        volume: "string",
        liquidity: "string",
        volumeNum: "number",
        liquidityNum: "number",
        volume24hr: "number",
        bestBid: "number",
        bestAsk: "number",
        spread: "number",
        oneDayPriceChange: "number",
        orderMinSize: "number",
        orderPriceMinTickSize: "number",
        acceptingOrders: "boolean",
        negRisk: "boolean",
        umaResolutionStatuses: "string",
        startDateIso: "string",
        events: "array",
      })
      assert.strictEqual(Number(row["volume"]), row["volumeNum"])
      assert.isBelow(Number(row["bestBid"]), Number(row["bestAsk"]))
      assert.isFalse(row["closed"])
      assert.notProperty(row, "closedTime")
      assert.notProperty(row, "tags")
    }
  })

  it("are found by id, slug, condition, question and token, and excluded once closed by default", () => {
    const open = defined(
      venue.markets.findLast(
        (market) => market.createdAt < genesis - day && isOpen(market) && market.legs === undefined,
      ),
    )
    const closed = defined(venue.markets.find((market) => !isOpen(market)))
    for (const market of [open, closed]) {
      const token = defined(venue.tokens[market.tokens[1]]).id
      assert.strictEqual(one(`/markets/${market.id}`)["slug"], market.plan.slug)
      assert.strictEqual(one(`/markets/slug/${market.plan.slug}`)["id"], market.id)
      const queries = [
        `id=${market.id}`,
        `slug=${market.plan.slug}`,
        `condition_ids=${market.conditionId}`,
        `question_ids=${market.questionId}`,
        `clob_token_ids=${token}`,
      ]
      for (const query of queries) {
        const expected = [market.id]
        assert.deepStrictEqual(ids(list(`/markets?${query}`)), market === open ? expected : [], query)
        assert.deepStrictEqual(ids(list(`/markets?${query}&closed=true`)), market === open ? [] : expected, query)
      }
    }
    const two = venue.markets.filter(isOpen).slice(0, 2)
    const repeated = two.map(({ conditionId }) => `condition_ids=${conditionId}`).join("&")
    assert.deepStrictEqual(
      ids(list(`/markets?${repeated}`)),
      two.map(({ id }) => id),
    )
    const bracketed = two.map(({ conditionId }) => `condition_ids[]=${conditionId}`).join("&")
    assert.lengthOf(list(`/markets?${bracketed}&limit=7`), 7)
  })

  it("report their resolution", () => {
    const wins = new Set<string>()
    for (const market of venue.markets.filter((each) => !isOpen(each) && each.legs === undefined).slice(-200)) {
      const row = one(`/markets/${market.id}`)
      assert.isTrue(row["closed"])
      assert.isFalse(row["acceptingOrders"])
      assert.match(text(row["closedTime"]), postgresTime)
      const prices = JSON.parse(text(row["outcomePrices"]))
      const [first, second] = defined(market.payouts)
      assert.deepStrictEqual(prices, first === second ? ["0.5", "0.5"] : [String(first), String(second)])
      wins.add(prices.join())
    }
    assert.isTrue(wins.has("1,0") && wins.has("0,1"))
  })

  it("contain their event, and their tags on request", () => {
    const market = defined(venue.markets.find(isOpen))
    const [row] = list(`/markets?id=${market.id}&include_tag=true`)
    const [event] = row?.["events"] as List
    assert.strictEqual(event?.["slug"], market.event.plan.slug)
    assert.notProperty(event, "markets")
    const slugs = market.event.plan.tags.map(({ slug }) => slug)
    assert.deepStrictEqual(
      (row?.["tags"] as List).map(({ slug }) => slug),
      slugs,
    )
    assert.deepStrictEqual(
      list(`/markets/${market.id}/tags`).map(({ slug }) => slug),
      slugs,
    )
  })

  it("report fees, rewards and neg-risk ids", () => {
    const rows = openEvents()
      .flatMap(marketsOf)
      .map((market) => ({ market, row: one(`/markets/${market.id}`) }))
    for (const { market, row } of rows.slice(0, 400)) {
      const { fees } = market.plan
      assert.strictEqual(row["feesEnabled"], fees !== undefined)
      assert.deepStrictEqual(row["feeSchedule"], fees && { ...fees, takerOnly: true })
      assert.strictEqual(row["takerBaseFee"], fees === undefined ? 0 : 1000)
      assert.strictEqual(row["negRisk"], market.event.plan.negRisk)
      assert.strictEqual(row["negRiskMarketID"], market.event.negRiskMarketId)
    }
    const rewarded = defined(rows.find(({ row }) => row["clobRewards"] !== undefined)).row
    const [reward] = rewarded["clobRewards"] as List
    assert.strictEqual(reward?.["conditionId"], rewarded["conditionId"])
    types(defined(reward), { id: "string", rewardsDailyRate: "number", startDate: "string" })
  })

  it("count volume once per match, on the taker's side, for every window", () => {
    const { facts } = world.sim.model.world
    const head = world.sim.head - firstBlock
    const sums = { volumeNum: 0, volume24hr: 0, volume1wk: 0 }
    const busiest = defined(list("/markets?order=volume&limit=1")[0])
    for (let tx = 0; tx < facts.length && facts.block.get(tx) <= head; tx++) {
      const isMatch = facts.kind.get(tx) === TxKind.match
      if (!isMatch || defined(venue.markets[facts.market.get(tx)]).id !== busiest["id"]) continue
      const usd = facts.usd.get(facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1)
      const age = world.sim.now() - facts.at.get(tx)
      sums.volumeNum += usd
      if (age < day) sums.volume24hr += usd
      if (age < 7 * day) sums.volume1wk += usd
    }
    assert.isAbove(sums.volumeNum, 0)
    for (const [name, sum] of Object.entries(sums)) assert.strictEqual(busiest[name], sum / 1e6, name)
  })
})

describe("gamma events", () => {
  const { one, list, openEvents, marketsOf, venue, sim, isOpen } = world

  it("nest markets and tags and have amounts as numbers", () => {
    const event = defined(openEvents().find(({ plan }) => plan.negRisk))
    const row = one(`/events/${event.id}`)
    assert.deepStrictEqual(row, one(`/events/slug/${event.plan.slug}`))
    assert.deepStrictEqual(row, list(`/events?slug=${event.plan.slug}`)[0])
    types(row, {
      id: "string",
      ticker: "string",
      title: "string",
      description: "string",
      volume: "number",
      liquidity: "number",
      volume24hr: "number",
      volume1wk: "number",
      openInterest: "number",
      competitive: "number",
      commentCount: "number",
      closed: "boolean",
      published_at: "string",
      negRiskMarketID: "string",
      markets: "array",
      tags: "array",
      tag_slugs: "array",
    })
    const nested = row["markets"] as List
    assert.deepStrictEqual(
      ids(nested),
      marketsOf(event).map(({ id }) => id),
    )
    for (const market of nested) assert.notProperty(market, "events")
    const volume = nested.reduce((sum, market) => sum + Number(market["volumeNum"]), 0)
    assert.closeTo(Number(row["volume"]), volume, 1e-6)
    assert.deepStrictEqual(list(`/events/${event.id}/tags`), row["tags"])
  })

  it("have an ISO closing time, unlike their markets", () => {
    const closed = defined(venue.events.find((event) => !marketsOf(event).some(isOpen)))
    const row = one(`/events/${closed.id}`)
    assert.isTrue(row["closed"])
    assert.match(text(row["closedTime"]), isoTime)
    assert.match(text((row["markets"] as List)[0]?.["closedTime"]), postgresTime)
  })

  it("exist for the current window of every coin", () => {
    const spans = { "5m": 5 * minute, "15m": 15 * minute, "4h": 4 * hour }
    for (const [coin, { symbol }] of coins.entries()) {
      for (const [span, lasts] of Object.entries(spans)) {
        const start = Math.floor(sim.now() / lasts) * lasts
        const slug = `${symbol.toLowerCase()}-updown-${span}-${start / 1000}`
        const [row] = list(`/events?slug=${slug}`)
        assert.strictEqual(row?.["startTime"], new Date(start).toISOString().replace(".000", ""), slug)
        assert.isFalse(row?.["closed"])
        const [market] = row?.["markets"] as List
        assert.strictEqual(market?.["slug"], slug)
        assert.strictEqual(market?.["outcomes"], '["Up", "Down"]')
        assert.deepStrictEqual(market?.["cryptoMarketConfig"], {
          id: `${symbol.toLowerCase()}-${span}-twap-60`,
          asset: symbol.toLowerCase(),
          duration: span,
          twapEnabled: true,
          twapLookbackSeconds: 60,
        })
      }
      const openAt = Math.floor(sim.now() / hour) * hour
      assert.lengthOf(list(`/events?slug=${windowSlug({ coin, span: "1h", openAt, closeAt: openAt + hour })}`), 1)
      assert.isNotEmpty(list(`/events?title_search=up or down on&closed=false&series_slug=${dailySlugs[coin]}`))
    }
  })

  const dailySlugs = sim.model.catalogue.series
    .filter(({ coin, recurrence }) => coin !== undefined && recurrence === "daily")
    .map(({ slug }) => slug)

  it("are hidden before their creation", () => {
    const ahead = venue.events.filter(({ plan }) => plan.createdAt > sim.now())
    for (const { id, plan } of ahead) {
      assert.strictEqual(world.status(`/events/${id}`), 404)
      assert.isEmpty(list(`/events?slug=${plan.slug}`))
    }
    const newest = list("/events?order=createdAt&limit=1")[0]
    assert.isAtMost(Date.parse(text(newest?.["createdAt"])), sim.now())
  })
})
