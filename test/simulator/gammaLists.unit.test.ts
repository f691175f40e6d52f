import { assert, describe, it } from "@effect/vitest"
import { coins } from "#src/simulator/world/oracle.ts"
import type { Event } from "#src/simulator/world/Venue.ts"
import {
  defined,
  hour,
  ids,
  isoTime,
  type Json,
  type List,
  minute,
  postgresTime,
  served,
  text,
  types,
} from "./gammaWorld.ts"

const world = served(2)

describe("gamma lists", () => {
  const { send, one, list, status, openEvents, visible, sim, isOpen, venue } = world

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

  it("paging by cursor has no gaps or repeats, in any order", () => {
    const expected = openEvents().map(({ id }) => id)
    const pages = walk("/events/keyset?closed=false&limit=1000", "events")
    assert.isTrue(pages.slice(0, -1).every((page) => page.length === 100))
    assert.deepStrictEqual(pages.flatMap(ids), expected)
    const byEnd = walk("/events/keyset?closed=false&limit=500&order=endDate,volume", "events")
    assert.sameMembers(byEnd.flatMap(ids), expected)
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

  it("have default and maximum sizes and deprecation headers", () => {
    assert.lengthOf(list("/events"), 20)
    assert.lengthOf(list("/events?limit=500"), 100)
    assert.lengthOf(list("/markets?limit=500"), 100)
    assert.isAtMost(list("/series?exclude_events=true").length, 50)
    assert.isAtMost(list("/tags").length, 100)
    assert.lengthOf(list("/events?limit=3&offset=2"), 3)
    assert.deepStrictEqual(list("/events?limit=5").slice(2), list("/events?limit=3&offset=2"))
    assert.strictEqual(send("/events").headers?.["deprecation"], "true")
    assert.notProperty(send("/events/keyset").headers, "deprecation")
    assert.isUndefined(one("/events/keyset?slug=nothing-like-it")["next_cursor"])
    assert.isTrue(list("/events?limit=100&closed=true").every((event) => event["closed"] === true))
  })

  it("reject invalid parameters and unknown ids", () => {
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
    const answer = send("/events?order=nonsense")
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
    assert.strictEqual(send("/events", "POST").status, 405)
  })

  it("can be filtered by tag, series, state, dates and amounts", () => {
    const count = (test: (event: Event) => boolean) => Math.min(100, visible().filter(test).length)
    const [tag, other] = ["bitcoin", "5m"].map((slug) =>
      defined(sim.model.catalogue.tags.find((each) => each.slug === slug)),
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

describe("gamma reference data", () => {
  const { send, one, list, sim } = world
  const { catalogue, wallets } = sim.model

  it("series can be listed with or without their events", () => {
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

  it("tags, sports, market types and teams are listed", () => {
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
    assert.strictEqual(send("/status").body, "OK")
  })

  it("search matches words and is paged", () => {
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

  it("profiles are found by wallet and by owner", () => {
    const wallet = defined(wallets.find(({ name, kind }) => name !== undefined && kind !== "eoa"))
    const profile = one(`/public-profile?address=${wallet.address}`)
    assert.strictEqual(profile["name"], wallet.name)
    assert.strictEqual(profile["pseudonym"], wallet.pseudonym)
    assert.deepStrictEqual(one(`/public-profile?address=${wallet.owner}`), profile)
  })
})

describe("gamma over time", () => {
  const { sim, one, list, visible } = served(1)
  sim.setRate(0.05)

  it("an up/down event gets its opening price after a minute, and its closing price and winner after the end", () => {
    const openAt = Math.floor(sim.now() / (5 * minute)) * 5 * minute + 5 * minute
    const slug = `btc-updown-5m-${openAt / 1000}`
    const { oracle } = sim.model.world
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

  it("ids of games are numbers, text with the sides, or -1 for none", () => {
    const offsets = Array.from({ length: 20 }, (_, page) => page * 100)
    const all = offsets.flatMap((offset) => list(`/events?closed=false&limit=100&offset=${offset}`))
    const onEvents = all.map((event) => event["gameId"])
    assert.isTrue(onEvents.includes(-1) && onEvents.includes(undefined))
    const onMarkets = all.flatMap((event) => (event["markets"] as List).map(({ gameId }) => gameId))
    assert.isTrue(onMarkets.some((id) => /^[0-9a-f]{8}-[0-9a-f-]{27}:[A-Z0-9]+:[A-Z0-9]+$/.test(String(id))))
    assert.isTrue(onMarkets.some((id) => /^\d+$/.test(String(id))))
  })

  it("a game's score changes while it is live", () => {
    const event = defined(
      visible()
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
    const onMarkets = (ahead["markets"] as List).map((market) => market["gameId"] ?? "none")
    assert.isTrue(onMarkets.every((id) => id === "none" || id === String(game.id) || /^[0-9a-f-]{36}:/.test(text(id))))
    assert.match(text((ahead["markets"] as List)[0]?.["gameStartTime"]), postgresTime)

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

  it("further events of a game have its main event as parent", () => {
    const main = defined(
      visible().find(({ plan }) => plan.slug.startsWith("mls") && plan.slug.endsWith("-more-markets")),
    )
    const row = one(`/events/${main.id}`)
    const parent = one(`/events/${row["parentEventId"]}`)
    assert.strictEqual(`${parent["slug"]}-more-markets`, row["slug"])
    assert.lengthOf(list(`/events?parent_event_id=${parent["id"]}`), 3)
  })

  it("volume leaves the last day but stays in the total", () => {
    sim.setRate(5)
    sim.advance(5 * minute)
    const row = defined(list("/markets?order=volume24hr&tag_slug=5m&limit=1")[0])
    assert.isAbove(Number(row["volume24hr"]), 0)
    sim.setRate(0.05)
    sim.advance(26 * hour)
    const later = one(`/markets/${row["id"]}`)
    assert.isTrue(later["closed"])
    assert.strictEqual(later["volume24hr"], 0)
    assert.isAtLeast(Number(later["volumeNum"]), Number(row["volumeNum"]))
    const total = list("/series?exclude_events=true").reduce((sum, { volume24hr }) => sum + Number(volume24hr), 0)
    assert.isAbove(total, 0)
  })
})
