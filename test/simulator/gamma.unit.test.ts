import { assert, describe, it } from "@effect/vitest"
import { gammaService } from "#src/simulator/gamma/gammaService.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import type { WireResponse } from "#src/simulator/wire.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { slugOf } from "#src/simulator/world/catalogue/crypto/titles.ts"
import { Act } from "#src/simulator/world/Facts.ts"
import { coins } from "#src/simulator/world/oracle.ts"
import type { Event, Market } from "#src/simulator/world/Venue.ts"

const genesis = 1_794_700_800_000
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

type Json = Readonly<Record<string, unknown>>
type List = ReadonlyArray<Json>

/** A frozen world a minute after its genesis, and what its catalogue service answers. */
const served = (seed: number) => {
  const sim = new Simulation(Journal.open(undefined, { seed, genesis, scale: "tiny" }), () => genesis + minute)
  sim.freeze()
  const service = gammaService(sim)
  const ask = (target: string, method = "GET"): WireResponse => {
    const { pathname, searchParams } = new URL(target, "http://gamma")
    return service({ method, path: pathname, query: searchParams, target, headers: {}, body: "" })
  }
  const get = (target: string) => {
    const { status, body } = ask(target)
    assert.strictEqual(status, 200, `${target}: ${body.slice(0, 200)}`)
    return JSON.parse(body)
  }
  const { venue } = sim.made.world
  const marketsOf = (event: Event) => event.markets.map((index) => venue.markets[index] as Market)
  const isOpen = (market: Market) => market.plan.resolvesAt > sim.now()
  const shown = () => venue.events.filter(({ plan }) => plan.createdAt <= sim.now())
  const openEvents = () => shown().filter((event) => marketsOf(event).some(isOpen))
  return {
    sim,
    venue,
    ask,
    marketsOf,
    isOpen,
    shown,
    openEvents,
    one: (target: string): Json => get(target),
    list: (target: string): List => get(target),
    status: (target: string) => ask(target).status,
  }
}

const defined = <A>(value: A | undefined, what = "value"): A => {
  assert.isDefined(value, what)
  return value as A
}

const ids = (list: List) => list.map(({ id }) => id)
const text = (value: unknown): string => {
  assert.isString(value)
  return value as string
}
const types = (row: Json, fields: Readonly<Record<string, string>>) => {
  for (const [name, type] of Object.entries(fields)) {
    const value = row[name]
    assert.strictEqual(Array.isArray(value) ? "array" : typeof value, type, name)
  }
}

const spacedTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/

const world = served(2)

describe("A market of the simulated catalogue", () => {
  const { one, list, venue, marketsOf, openEvents, isOpen } = world

  it("has arrays inside strings, amounts as strings and as numbers", () => {
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

  it("is found by id, slug, condition, question and token, and left out once closed unless asked for", () => {
    const open = defined(venue.markets.findLast((market) => market.createdAt < genesis - day && isOpen(market)))
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
        const wanted = [market.id]
        assert.deepStrictEqual(ids(list(`/markets?${query}`)), market === open ? wanted : [], query)
        assert.deepStrictEqual(ids(list(`/markets?${query}&closed=true`)), market === open ? [] : wanted, query)
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

  it("shows how it was resolved", () => {
    const wins = new Set<string>()
    for (const market of venue.markets.filter((each) => !isOpen(each) && each.legs === undefined).slice(-200)) {
      const row = one(`/markets/${market.id}`)
      assert.isTrue(row["closed"])
      assert.isFalse(row["acceptingOrders"])
      assert.match(text(row["closedTime"]), spacedTime)
      const prices = JSON.parse(text(row["outcomePrices"]))
      const [first, second] = defined(market.payouts)
      assert.deepStrictEqual(prices, first === second ? ["0.5", "0.5"] : [String(first), String(second)])
      wins.add(prices.join())
    }
    assert.isTrue(wins.has("1,0") && wins.has("0,1"))
  })

  it("names its event, and its tags when asked for", () => {
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

  it("tells its fees, rewards and neg-risk ids", () => {
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

  it("counts volume once per match, on the taker's side, for every span", () => {
    const { facts } = world.sim.made.world
    const head = world.sim.head - firstBlock
    const sums = { volumeNum: 0, volume24hr: 0, volume1wk: 0 }
    const busiest = defined(list("/markets?order=volume&limit=1")[0])
    for (let act = 0; act < facts.length && facts.block.get(act) <= head; act++) {
      const isMatch = facts.kind.get(act) === Act.match
      if (!isMatch || defined(venue.markets[facts.market.get(act)]).id !== busiest["id"]) continue
      const usd = facts.usd.get(facts.firstFill.get(act) + facts.fillCount.get(act) - 1)
      const age = world.sim.now() - facts.at.get(act)
      sums.volumeNum += usd
      if (age < day) sums.volume24hr += usd
      if (age < 7 * day) sums.volume1wk += usd
    }
    assert.isAbove(sums.volumeNum, 0)
    for (const [name, sum] of Object.entries(sums)) assert.strictEqual(busiest[name], sum / 1e6, name)
  })
})

describe("An event of the simulated catalogue", () => {
  const { one, list, openEvents, marketsOf, venue, sim, isOpen } = world

  it("nests its markets and tags and has amounts as numbers", () => {
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

  it("has an ISO closing time, unlike its markets", () => {
    const closed = defined(venue.events.find((event) => !marketsOf(event).some(isOpen)))
    const row = one(`/events/${closed.id}`)
    assert.isTrue(row["closed"])
    assert.match(text(row["closedTime"]), isoTime)
    assert.match(text((row["markets"] as List)[0]?.["closedTime"]), spacedTime)
  })

  it("exists for the current window of every coin", () => {
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
      assert.lengthOf(list(`/events?slug=${slugOf({ coin, span: "1h", openAt, closeAt: openAt + hour })}`), 1)
      assert.isNotEmpty(list(`/events?title_search=up or down on&closed=false&series_slug=${dailySlugs[coin]}`))
    }
  })

  const dailySlugs = sim.made.catalogue.series
    .filter(({ coin, recurrence }) => coin !== undefined && recurrence === "daily")
    .map(({ slug }) => slug)

  it("is not shown before it is created", () => {
    const ahead = venue.events.filter(({ plan }) => plan.createdAt > sim.now())
    for (const { id, plan } of ahead) {
      assert.strictEqual(world.status(`/events/${id}`), 404)
      assert.isEmpty(list(`/events?slug=${plan.slug}`))
    }
    const newest = list("/events?order=createdAt&limit=1")[0]
    assert.isAtMost(Date.parse(text(newest?.["createdAt"])), sim.now())
  })
})

describe("Lists of the simulated catalogue", () => {
  const { ask, one, list, status, openEvents, shown, sim, isOpen, venue } = world

  /** Every page of a keyset list, one after the other. */
  const walk = (target: string, name: string): ReadonlyArray<List> => {
    const pages: Array<List> = []
    let cursor: unknown
    do {
      const page = one(cursor === undefined ? target : `${target}&after_cursor=${cursor}`)
      pages.push(page[name] as List)
      cursor = page["next_cursor"]
    } while (cursor !== undefined && pages.length < 500)
    return pages
  }

  it("are walked by cursor without gaps or repeats, in any order", () => {
    const wanted = openEvents().map(({ id }) => id)
    const pages = walk("/events/keyset?closed=false&limit=1000", "events")
    assert.isTrue(pages.slice(0, -1).every((page) => page.length === 500))
    assert.deepStrictEqual(pages.flatMap(ids), wanted)
    const byEnd = walk("/events/keyset?closed=false&limit=500&order=endDate,volume", "events")
    assert.sameMembers(byEnd.flatMap(ids), wanted)
    const ends = byEnd.flat().map(({ endDate }) => Date.parse(text(endDate)))
    assert.deepStrictEqual(
      ends,
      ends.toSorted((a, b) => b - a),
    )
    const markets = walk("/markets/keyset?tag_slug=politics&limit=1000", "markets")
    const political = venue.markets.filter(
      (market) => isOpen(market) && market.event.plan.tags.some(({ slug }) => slug === "politics"),
    )
    assert.deepStrictEqual(
      markets.flatMap(ids),
      political.map(({ id }) => id),
    )
    assert.isTrue(markets.every((page) => page.length <= 100))
  })

  it("have default sizes and caps, and say that they retire", () => {
    assert.lengthOf(list("/events"), 20)
    assert.lengthOf(list("/events?limit=500"), 100)
    assert.lengthOf(list("/markets?limit=500"), 100)
    assert.isAtMost(list("/series?exclude_events=true").length, 50)
    assert.isAtMost(list("/tags").length, 100)
    assert.lengthOf(list("/events?limit=3&offset=2"), 3)
    assert.deepStrictEqual(list("/events?limit=5").slice(2), list("/events?limit=3&offset=2"))
    assert.strictEqual(ask("/events").headers?.["deprecation"], "true")
    assert.notProperty(ask("/events/keyset").headers, "deprecation")
    assert.isUndefined(one("/events/keyset?slug=nothing-like-it")["next_cursor"])
    assert.isTrue(list("/events?limit=100&closed=true").every((event) => event["closed"] === true))
  })

  it("refuse what they do not know", () => {
    const refused = [
      "/events?offset=2001",
      "/markets?offset=2001",
      "/events?order=volume_24hr",
      "/markets?order=nonsense",
      "/markets?order=toString",
      "/events?limit=-1",
      "/events?limit=many",
      "/events?closed=maybe",
      "/events?end_date_min=soon",
      "/events?tag_id=politics",
      "/events/keyset?after_cursor=nonsense",
      "/public-search",
    ]
    for (const target of refused) assert.strictEqual(status(target), 422, target)
    const answer = ask("/events?order=nonsense")
    assert.deepStrictEqual(JSON.parse(answer.body), { type: "validation error", error: "order fields are not valid" })
    const unknown = [
      "/events/1",
      "/events/nope",
      "/events/slug/nope",
      "/events/1/tags",
      "/markets/1",
      "/markets/slug/nope",
    ]
    const more = [
      "/series/1",
      "/tags/0",
      "/tags/slug/nope",
      "/teams/1",
      "/nothing",
      `/public-profile?address=0x${"0".repeat(40)}`,
    ]
    for (const target of [...unknown, ...more]) assert.strictEqual(status(target), 404, target)
    assert.strictEqual(status("/public-profile?address=me"), 400)
    assert.strictEqual(ask("/events", "POST").status, 405)
  })

  it("are filtered by tag, series, state, dates and amounts", () => {
    const count = (test: (event: Event) => boolean) => Math.min(100, shown().filter(test).length)
    const [tag, other] = ["bitcoin", "5m"].map((slug) =>
      defined(sim.made.catalogue.tags.find((each) => each.slug === slug)),
    )
    const has = ({ plan }: Event, slug: string) => plan.tags.some((each) => each.slug === slug)
    const both = `tag_id=${tag?.id}&tag_id=${other?.id}&limit=100`
    assert.lengthOf(
      list(`/events?${both}`),
      count((event) => has(event, "bitcoin") || has(event, "5m")),
    )
    const all = list(`/events?${both}&tag_match=all`)
    assert.isTrue(
      all.every(({ tag_slugs }) => ["bitcoin", "5m"].every((slug) => (tag_slugs as string[]).includes(slug))),
    )
    const without = list(`/events?tag_slug=bitcoin&exclude_tag_id=${other?.id}&limit=100`)
    assert.isTrue(without.every(({ tag_slugs }) => !(tag_slugs as string[]).includes("5m")))
    assert.isNotEmpty(without)

    const game = defined(openEvents().find(({ plan }) => plan.game !== undefined))
    const league = list(`/events?series_id=${game.plan.series?.id}&closed=false&limit=100`)
    assert.include(ids(league), game.id)
    assert.isTrue(league.every(({ seriesSlug }) => seriesSlug === game.plan.series?.slug))
    assert.include(ids(list(`/events?game_id=${game.plan.game?.id}`)), game.id)

    const soon = new Date(sim.now() + 10 * minute).toISOString()
    const ending = list(`/events?closed=false&end_date_max=${soon}&order=endDate&ascending=true&limit=100`)
    assert.isNotEmpty(ending)
    assert.isTrue(ending.every(({ endDate }) => Date.parse(text(endDate)) <= Date.parse(soon)))
    const rich = list("/events?volume_min=1000&order=volume&limit=100")
    const volumes = rich.map(({ volume }) => Number(volume))
    assert.isTrue(volumes.every((volume) => volume >= 1000))
    assert.deepStrictEqual(
      volumes,
      volumes.toSorted((a, b) => b - a),
    )
    const liquid = list("/markets?liquidity_num_min=5000&order=liquidityNum&ascending=true&limit=100")
    assert.isTrue(liquid.every(({ liquidityNum }) => Number(liquidityNum) >= 5000))
    assert.isEmpty(list("/events?archived=true"))
    const lines = list("/markets?sports_market_types=totals&sports_market_types=spreads&limit=100")
    assert.sameMembers([...new Set(lines.map(({ sportsMarketType }) => sportsMarketType))], ["totals", "spreads"])
  })
})

describe("Reference data of the simulated catalogue", () => {
  const { ask, one, list, sim } = world
  const { catalogue, wallets } = sim.made

  it("has series with or without their events", () => {
    const [five] = list("/series?slug=btc-up-or-down-5m")
    types(defined(five), {
      id: "string",
      recurrence: "string",
      volume: "number",
      volume24hr: "number",
      events: "array",
    })
    assert.strictEqual(five?.["recurrence"], "5m")
    const bare = one(`/series/${five?.["id"]}?exclude_events=true`)
    assert.notProperty(bare, "events")
    assert.deepStrictEqual({ ...five, events: undefined }, { ...bare, events: undefined })
    assert.lengthOf(list("/series?recurrence=hourly&exclude_events=true"), coins.length)
  })

  it("has tags, sports, market types and teams", () => {
    const politics = one("/tags/slug/politics")
    assert.deepStrictEqual(politics, one(`/tags/${politics["id"]}`))
    types(politics, { id: "string", label: "string", forceShow: "boolean", activeEventsCount: "number" })
    assert.lengthOf(list("/tags"), Math.min(100, catalogue.tags.length))
    const sports = list("/sports")
    assert.lengthOf(sports, catalogue.leagues.length)
    for (const row of sports) {
      types(row, { id: "number", sport: "string", tags: "string", series: "string", ordering: "string" })
      assert.match(text(row["tags"]), /^\d+(,\d+)*$/)
    }
    assert.deepStrictEqual(one("/sports/market-types"), { marketTypes: catalogue.marketTypes })
    const [team] = list("/teams?league=nba&limit=1")
    types(defined(team), { id: "number", name: "string", abbreviation: "string", providerId: "number" })
    assert.deepStrictEqual(one(`/teams/${team?.["id"]}`), team)
    assert.isTrue(list("/teams?league=nba&league=nfl").every(({ league }) => league === "nba" || league === "nfl"))
    assert.strictEqual(ask("/status").body, "OK")
  })

  it("is searched by words, page by page", () => {
    const first = one("/public-search?q=bitcoin%20up&limit_per_type=5")
    const second = one("/public-search?q=bitcoin%20up&limit_per_type=5&page=2")
    const events = [first, second].flatMap((page) => page["events"] as List)
    assert.lengthOf(new Set(ids(events)), 10)
    assert.isTrue(events.every(({ title }) => /bitcoin/i.test(text(title)) && /up/i.test(text(title))))
    const { hasMore, totalResults } = first["pagination"] as Json
    assert.isTrue(hasMore)
    assert.isAbove(Number(totalResults), 10)
    const closed = one("/public-search?q=bitcoin&events_status=closed")["events"] as List
    assert.isTrue(closed.every((event) => event["closed"] === true))
    const [tag] = one("/public-search?q=bitcoin")["tags"] as List
    types(defined(tag), { id: "string", slug: "string", event_count: "number" })
    const named = defined(wallets.find(({ name }) => name !== undefined))
    const [profile] = one(`/public-search?q=${named.name}&search_tags=false`)["profiles"] as List
    assert.strictEqual(profile?.["proxyWallet"], named.address)
  })

  it("knows profiles by wallet and by owner", () => {
    const wallet = defined(wallets.find(({ name, kind }) => name !== undefined && kind !== "eoa"))
    const profile = one(`/public-profile?address=${wallet.address}`)
    assert.strictEqual(profile["name"], wallet.name)
    assert.strictEqual(profile["pseudonym"], wallet.pseudonym)
    assert.deepStrictEqual(one(`/public-profile?address=${wallet.owner}`), profile)
  })
})

describe("The simulated catalogue as time passes", () => {
  const { sim, one, list, shown } = served(1)

  it("a window shows its opening price after a minute, its closing price and its winner after the end", () => {
    const openAt = Math.floor(sim.now() / (5 * minute)) * 5 * minute + 5 * minute
    const slug = `btc-updown-5m-${openAt / 1000}`
    const { oracle } = sim.made.world
    const [open, close] = [openAt, openAt + 5 * minute].map((at) => oracle.twap60(0, at / 1000) / 1e8)
    const moveTo = (at: number) => {
      sim.advance(at - sim.now())
      return one(`/events/slug/${slug}`)
    }
    assert.notProperty(moveTo(openAt + 59_000), "eventMetadata")
    assert.deepStrictEqual(moveTo(openAt + minute)["eventMetadata"], { priceToBeat: open })
    const waiting = moveTo(openAt + 5 * minute + 10_000)
    assert.isFalse(waiting["closed"])
    assert.isFalse((waiting["markets"] as List)[0]?.["acceptingOrders"])
    const settled = moveTo(openAt + 8 * minute)
    assert.isTrue(settled["closed"])
    assert.deepStrictEqual(settled["eventMetadata"], { priceToBeat: open, finalPrice: close })
    const won = defined(close) >= defined(open) ? '["1", "0"]' : '["0", "1"]'
    assert.strictEqual((settled["markets"] as List)[0]?.["outcomePrices"], won)
  })

  it("a game's score moves while it is played", () => {
    const event = defined(
      shown()
        .filter(({ plan }) => plan.game !== undefined && plan.game.startsAt > sim.now() && plan.slug.startsWith("mls"))
        .toSorted((a, b) => a.plan.startsAt - b.plan.startsAt)[0],
    )
    const game = defined(event.plan.game)
    const at = (moment: number) => {
      sim.advance(moment - sim.now())
      return one(`/events/${event.id}?include_best_lines=true`)
    }
    const ahead = one(`/events/${event.id}`)
    assert.deepInclude(ahead, { live: false, ended: false, gameStatus: "scheduled", gameId: game.id })
    assert.notProperty(ahead, "score")
    types(ahead, { gameId: "number", teams: "array", homeTeamName: "string", eventDate: "string" })
    assert.strictEqual((ahead["markets"] as List)[0]?.["gameId"], String(game.id))
    assert.match(text((ahead["markets"] as List)[0]?.["gameStartTime"]), spacedTime)

    const changes = game.scores.filter(({ home, away }) => home + away > 0)
    for (const change of [defined(game.scores[0]), defined(changes[0]), defined(changes.at(-2))]) {
      const row = at(change.at)
      const { home, away, period, elapsed } = change
      assert.deepInclude(row, { live: true, ended: false, score: `${home}-${away}`, period, elapsed })
      assert.include(ids(list("/events?live=true&limit=100")), event.id)
    }
    const over = at(game.endsAt + 1000)
    assert.deepInclude(over, { live: false, ended: true, period: "FT", gameStatus: "finished" })
    assert.match(text(over["finishedTimestamp"]), isoTime)
    assert.notInclude(ids(list("/events?live=true&limit=100")), event.id)
  })

  it("the events of one game belong to its main event", () => {
    const main = defined(shown().find(({ plan }) => plan.slug.startsWith("mls") && plan.slug.endsWith("-more-markets")))
    const row = one(`/events/${main.id}`)
    const parent = one(`/events/${row["parentEventId"]}`)
    assert.strictEqual(`${parent["slug"]}-more-markets`, row["slug"])
    assert.lengthOf(list(`/events?parent_event_id=${parent["id"]}`), 3)
  })

  it("volume falls out of the last day and stays in what was ever traded", () => {
    const row = defined(list("/markets?order=volume24hr&tag_slug=up-or-down&limit=1")[0])
    assert.isAbove(Number(row["volume24hr"]), 0)
    sim.setRate(1)
    sim.advance(49 * hour)
    const later = one(`/markets/${row["id"]}`)
    assert.isTrue(later["closed"])
    assert.strictEqual(later["volume24hr"], 0)
    assert.isAtLeast(Number(later["volumeNum"]), Number(row["volumeNum"]))
    const total = list("/series?exclude_events=true").reduce((sum, { volume24hr }) => sum + Number(volume24hr), 0)
    assert.isAbove(total, 0)
  })
})
