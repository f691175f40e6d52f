import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { heatAt, makeCatalogue } from "#src/simulator/world/catalogue/index.ts"
import type { EventPlan, Game, MarketPlan, Millis } from "#src/simulator/world/model.ts"
import { coins, Oracle } from "#src/simulator/world/oracle.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Eleven days around the end of daylight saving time on 1 November 2026 at 06:00 UTC. */
const historyStart = Date.UTC(2026, 9, 24, 3, 17, 11)
const historyEnd = historyStart + 11 * day
const shortSince = Date.UTC(2026, 9, 31)
const options = { seed: 7, historyStart, shortSince, density: 1 }

const isSoak = process.env.PRESAGE_SOAK === "1"

const list = (from: Millis, to: Millis, catalogue = makeCatalogue(options)): ReadonlyArray<EventPlan> => [
  ...catalogue.eventsCreated(from, to),
]

const events = list(historyStart, historyEnd)
const bySlug = new Map(events.map((event) => [event.slug, event]))

const found = (slug: string): EventPlan => {
  const event = bySlug.get(slug)
  assert.isDefined(event, slug)
  return event as EventPlan
}

const slugsOf = (plans: ReadonlyArray<EventPlan>) => plans.map(({ slug, createdAt }) => `${createdAt} ${slug}`)
const winnerOf = ({ rule }: MarketPlan) => (rule.kind === "fate" ? rule.winner : undefined)

const duplicates = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return names.filter((name) => seen.has(name) || !seen.add(name))
}

describe("Catalogue.eventsCreated", () => {
  it("returns the same events however the time is sliced", () => {
    const sparse = { ...options, density: 0.1, shortSince: historyStart + 2.5 * day }
    const end = historyStart + 3 * day
    const all = list(historyStart, end, makeCatalogue(sparse))
    const whole = slugsOf(all)
    const creation = fc.constantFrom(...all.map(({ createdAt }) => createdAt))
    const moment = fc.oneof(fc.integer({ min: historyStart - day, max: end }), creation)
    fc.assert(
      fc.property(fc.array(moment, { maxLength: 6 }), (moments) => {
        const cuts = [historyStart - day, ...moments.toSorted((a, b) => a - b), end]
        const catalogue = makeCatalogue(sparse)
        const slices = cuts.slice(1).map((to, i) => list(cuts[i] as Millis, to, catalogue))
        assert.deepStrictEqual(slugsOf(slices.flat()), whole)
      }),
      { numRuns: isSoak ? 15 : 4 },
    )
  })

  it("returns the same events second by second, in any order and from a new catalogue", () => {
    const from = Date.UTC(2026, 9, 31, 12, 4)
    const seconds = Array.from({ length: 600 }, (_, i) => from + i * 1000)
    const catalogue = makeCatalogue(options)
    const parts = seconds.toReversed().map((at) => list(at, at + 1000, catalogue))
    assert.deepStrictEqual(parts.toReversed().flat(), list(from, from + 600_000))
  })

  it("depends on the seed", () => {
    const from = historyStart + 2 * day
    assert.strictEqual(JSON.stringify(list(from, from + day)), JSON.stringify(list(from, from + day)))
    const other = list(from, from + day, makeCatalogue({ ...options, seed: 8 }))
    assert.notDeepEqual(slugsOf(other), slugsOf(list(from, from + day)))
  })

  it("returns events in order of creation, each created before it is decided", () => {
    const times = events.map(({ createdAt }) => createdAt)
    assert.deepStrictEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    const wrong = events.filter(
      ({ createdAt, startsAt, endsAt, markets }) =>
        createdAt < historyStart ||
        startsAt < createdAt ||
        markets.length === 0 ||
        markets.some(
          (market) => market.endsAt <= createdAt || market.endsAt > endsAt || market.resolvesAt <= market.endsAt,
        ),
    )
    assert.deepStrictEqual(slugsOf(wrong), [])
  })

  it("starts with relevant events announced before the history", () => {
    const carried = events.filter(({ createdAt }) => createdAt === historyStart)
    const categories = new Set(carried.map(({ category }) => category))
    for (const category of ["sports", "politics", "weather", "crypto"])
      assert.isTrue(categories.has(category), category)
    assert.isTrue(carried.some(({ game }) => game !== undefined && game.startsAt < historyStart + day))
    assert.isTrue(carried.some(({ endsAt }) => endsAt > historyStart + 30 * day))
  })

  it("returns a subset at a lower density", () => {
    const some = list(historyStart, historyEnd, makeCatalogue({ ...options, density: 0.3 }))
    const sports = (plans: ReadonlyArray<EventPlan>) => plans.filter(({ category }) => category === "sports")
    assert.deepStrictEqual(slugsOf(some.filter(({ slug }) => !bySlug.has(slug))), [])
    assert.isAbove(sports(some).length, sports(events).length * 0.15)
    assert.isBelow(sports(some).length, sports(events).length * 0.45)
  })

  it("uses unique slugs over weeks", () => {
    const days = isSoak ? 30 : 14
    const weeks = list(
      historyStart,
      historyStart + days * day,
      makeCatalogue({ ...options, shortSince: historyStart + (days - 2) * day }),
    )
    for (const plans of [weeks, events]) {
      const eventSlugs = plans.map(({ slug }) => slug)
      const marketSlugs = plans.flatMap(({ markets }) => markets.map(({ slug }) => slug))
      assert.deepStrictEqual(duplicates(eventSlugs), [])
      assert.deepStrictEqual(duplicates(marketSlugs), [])
      const malformed = [...eventSlugs, ...marketSlugs].filter((slug) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
      assert.deepStrictEqual(malformed, [])
    }
  })
})

describe("Up/down events", () => {
  const symbols = coins.map(({ symbol }) => symbol.toLowerCase())

  it.each([
    ["5m", 5 * minute],
    ["15m", 15 * minute],
    ["4h", 4 * hour],
  ] as const)("of %s have no gap for any coin, across the end of daylight saving time", (span, duration) => {
    const count = (historyEnd - shortSince) / duration
    const holes = symbols.flatMap((symbol) =>
      Array.from({ length: Math.floor(count) }, (_, i) => shortSince + i * duration).filter((openAt) => {
        const event = bySlug.get(`${symbol}-updown-${span}-${openAt / 1000}`)
        const rule = event?.markets[0]?.rule
        if (rule?.kind !== "updown" || event?.markets[0]?.slug !== event?.slug) return true
        return rule.openAt !== openAt || rule.closeAt !== openAt + duration || rule.by !== "twap60"
      }),
    )
    assert.deepStrictEqual(holes, [])
  })

  it.each(["hourly", "daily"])("of the %s series follow each other without a gap", (recurrence) => {
    for (const coin of coins.keys()) {
      const chain = events
        .filter((event) => event.recurrence === recurrence && event.series?.coin === coin)
        .toSorted((a, b) => a.startsAt - b.startsAt)
      for (const [i, event] of chain.entries()) {
        if (i > 0) assert.strictEqual(event.startsAt, chain[i - 1]?.endsAt)
        assert.include(event.markets[0]?.rule, { by: "spot", openAt: event.startsAt, closeAt: event.endsAt })
      }
      assert.isAtLeast((chain.at(-1)?.endsAt ?? 0) - (chain[0]?.startsAt ?? 0), 4 * day)
    }
  })

  it("are announced a day ahead and resolved 20 to 120 s after the end", () => {
    const upDown = events.filter(({ markets }) => markets[0]?.rule.kind === "updown")
    const wrong = upDown.filter(({ createdAt, startsAt, markets }) => {
      const { resolvesAt, endsAt, outcomes } = markets[0] as MarketPlan
      const ahead = startsAt - createdAt
      const isAnnounced = ahead <= day && (ahead > day - minute || createdAt === historyStart)
      const isReported = resolvesAt - endsAt >= 20_000 && resolvesAt - endsAt <= 120_000
      return !(isAnnounced && isReported && outcomes.join() === "Up,Down")
    })
    assert.isAbove(upDown.length, 8000)
    assert.deepStrictEqual(slugsOf(wrong), [])
  })

  it.each([
    ["2026-05-12T11:10:00Z", "btc-updown-5m", "Bitcoin Up or Down - May 12, 7:10AM-7:15AM ET"],
    ["2026-11-15T11:10:00Z", "hype-updown-5m", "Hyperliquid Up or Down - November 15, 6:10AM-6:15AM ET"],
    ["2026-11-15T04:45:00Z", "eth-updown-15m", "Ethereum Up or Down - November 14, 11:45PM-12:00AM ET"],
    ["2026-11-15T16:00:00Z", "xrp-updown-4h", "XRP Up or Down - November 15, 11:00AM-3:00PM ET"],
    ["2026-03-08T06:55:00Z", "sol-updown-5m", "Solana Up or Down - March 8, 1:55AM-3:00AM ET"],
  ])("opening at %s are titled in New York time", (opens, start, title) => {
    const openAt = Date.parse(opens)
    const catalogue = makeCatalogue({ ...options, historyStart: openAt - 2 * day, shortSince: 0 })
    const slug = `${start}-${openAt / 1000}`
    const event = list(openAt - day, openAt - day + minute, catalogue).find((one) => one.slug === slug)
    assert.strictEqual(event?.title, title)
  })

  it("of an hour or a day have unique slugs, also in the repeated hour", () => {
    assert.strictEqual(found("bitcoin-up-or-down-october-31-2026-7am-et").startsAt, Date.UTC(2026, 9, 31, 11))
    assert.strictEqual(found("bitcoin-up-or-down-november-2-2026-12pm-et").startsAt, Date.UTC(2026, 10, 2, 17))
    assert.strictEqual(found("solana-up-or-down-november-1-2026-1am-et").startsAt, Date.UTC(2026, 10, 1, 5))
    assert.strictEqual(found("solana-up-or-down-november-1-2026-1am-et-2").startsAt, Date.UTC(2026, 10, 1, 6))
    const { title, startsAt, endsAt } = found("hype-up-or-down-on-november-1-2026")
    assert.strictEqual(title, "Hyperliquid Up or Down on November 1?")
    assert.deepStrictEqual([startsAt, endsAt], [Date.UTC(2026, 9, 31, 16), Date.UTC(2026, 10, 1, 17)])
  })

  it("are omitted when old unless keepSlug accepts them", () => {
    const keptSlug = `btc-updown-5m-${Math.ceil((historyStart + day) / (5 * minute)) * 300}`
    const short = list(
      historyStart,
      historyEnd,
      makeCatalogue({ ...options, keepSlug: (slug) => slug === keptSlug }),
    ).filter(({ recurrence }) => recurrence === "5m")
    assert.deepStrictEqual(
      short.filter(({ endsAt }) => endsAt < shortSince).map(({ slug }) => slug),
      [keptSlug],
    )
    assert.isTrue(short.some(({ endsAt }) => endsAt === Math.ceil(shortSince / (5 * minute)) * 5 * minute))
  })
})

describe("Predetermined results", () => {
  it("give a neg-risk event exactly one winner and prices that add up", () => {
    const negRisk = events.filter((event) => event.negRisk)
    assert.isAbove(negRisk.length, 100)
    for (const { markets, slug } of negRisk) {
      assert.strictEqual(markets.filter((market) => winnerOf(market) === 0).length, 1, slug)
      const sum = markets.reduce((total, { startPrice }) => total + startPrice, 0)
      assert.isAtLeast(sum, 980, slug)
      assert.isAtMost(sum, 1020, slug)
    }
  })

  it("are consistent between the dates of one question", () => {
    for (const { markets, title } of events.filter((event) => event.title.endsWith("by...?"))) {
      const fates = markets.toSorted((a, b) => a.endsAt - b.endsAt).map(winnerOf)
      assert.deepStrictEqual(fates, fates.toSorted().toReversed(), title)
    }
  })

  it("of price levels follow the oracle", () => {
    const oracle = new Oracle(options.seed)
    const weekly = found("bitcoin-above-on-november-6-2026")
    const final = oracle.priceAt(0, weekly.endsAt / 1000) / 100_000_000
    for (const market of weekly.markets) {
      const strike = Number(market.groupItemTitle.replaceAll(",", ""))
      assert.strictEqual(winnerOf(market), final > strike ? 0 : 1)
    }
  })

  it("have prices and weights in range, with a few events far busier than most", () => {
    const wrong = events
      .flatMap(({ markets }) => markets)
      .filter((m) => !(m.weight > 0 && Number.isInteger(m.startPrice) && m.startPrice >= 1 && m.startPrice <= 999))
    assert.deepStrictEqual(wrong, [])
    const weights = events
      .filter(({ game, recurrence }) => game === undefined && recurrence === undefined)
      .map(({ markets }) => markets.reduce((sum, { weight }) => sum + weight, 0))
      .toSorted((a, b) => b - a)
    const sum = (list: ReadonlyArray<number>) => list.reduce((a, b) => a + b, 0)
    assert.isAbove(sum(weights.slice(0, weights.length / 10)), sum(weights) / 3)
  })
})

describe("Games", () => {
  const games = events.filter(({ game }) => game !== undefined)
  const finalOf = ({ game }: EventPlan) => game?.scores.at(-1) ?? assert.fail("no score")

  it("are played every day in every league", () => {
    const { leagues } = makeCatalogue(options)
    for (const { code } of leagues) {
      const dates = games
        .filter(({ game }) => game?.league === code)
        .map(({ slug }) => slug.match(/\d{4}-\d\d-\d\d/)?.[0])
      assert.isAtLeast(new Set(dates).size, 10, code)
    }
  })

  it("have scores that never decrease, from the start to the end of the game", () => {
    const period = /^(Q[1-4]|HT|OT|FT|P[1-3]|PEN|[12]H|(Top|Bot) \d+(st|nd|rd|th)|S[1-3]|[1-3]\/3)$/
    for (const { game, slug } of games) {
      const { scores, startsAt, endsAt } = game as Game
      assert.include(scores[0], { at: startsAt, home: 0, away: 0 }, slug)
      assert.include(scores.at(-1), { at: endsAt, period: "FT" }, slug)
      const wrong = scores.filter((change, i) => {
        const before = scores[i - 1] ?? change
        const rises = change.at >= before.at && change.home >= before.home && change.away >= before.away
        return !(rises && period.test(change.period) && /^(\d+:\d\d)?$/.test(change.elapsed))
      })
      assert.deepStrictEqual(wrong, [], slug)
    }
  })

  it("have no draws except in soccer, where three markets share the result", () => {
    for (const event of games) {
      const { home, away } = finalOf(event)
      if (event.negRisk && event.markets.length === 3 && !event.slug.endsWith("-result")) {
        const won = event.markets.find((market) => winnerOf(market) === 0)?.groupItemTitle
        const expected = home === away ? "Draw" : home > away ? event.game?.home.alias : event.game?.away.alias
        assert.strictEqual(won, expected)
      } else if (!event.tags.some(({ slug }) => slug === "soccer")) assert.notStrictEqual(home, away, event.slug)
    }
  })

  it("resolve winners, spreads, totals and team totals by the score", () => {
    let checked = 0
    for (const event of games) {
      const { home, away } = finalOf(event)
      const margins = new Map([
        [event.game?.home.alias, home - away],
        [event.game?.away.alias, away - home],
      ])
      for (const market of event.markets) {
        const { sportsMarketType, line = 0, outcomes, question } = market
        const margin = margins.get(outcomes[0])
        const team = question.startsWith(`${event.game?.home.alias} `) ? home : away
        const expected =
          sportsMarketType === "moneyline" && outcomes[0] !== "Yes"
            ? (margin ?? 0) > 0
            : sportsMarketType === "spreads"
              ? (margin ?? 0) + line > 0
              : sportsMarketType === "totals" && event.game?.league !== "cs2"
                ? home + away > line
                : sportsMarketType?.endsWith("team_totals")
                  ? team > line
                  : undefined
        if (expected === undefined) continue
        checked += 1
        assert.strictEqual(winnerOf(market), expected ? 0 : 1, `${market.slug} ${home}-${away}`)
      }
    }
    assert.isAbove(checked, 2000)
  })

  it("resolve first-half markets by the score at halftime", () => {
    for (const event of games.filter(({ game }) => game?.league === "nba")) {
      const half = event.game?.scores.find(({ period }) => period === "HT")
      const total = (half?.home ?? 0) + (half?.away ?? 0)
      for (const market of event.markets.filter(({ sportsMarketType }) => sportsMarketType === "first_half_totals")) {
        assert.strictEqual(winnerOf(market), total > (market.line ?? 0) ? 0 : 1)
        assert.strictEqual(market.endsAt, half?.at)
      }
    }
  })

  it("have at least 30 markets in basketball, all of known types with sports fees", () => {
    const { marketTypes } = makeCatalogue(options)
    const sportsFees = JSON.stringify({ rate: 0.05, exponent: 1, rebateRate: 0.25 })
    for (const { game, markets } of games) {
      if (game?.league === "nba") assert.isAtLeast(markets.length, 30)
      const wrong = markets.filter(
        ({ sportsMarketType = "", fees }) =>
          !marketTypes.includes(sportsMarketType) || JSON.stringify(fees) !== sportsFees,
      )
      assert.deepStrictEqual(wrong, [])
    }
  })

  it("are most active while they are played", () => {
    const event = games[0] as EventPlan
    const market = event.markets[0] as MarketPlan
    const heats = [event.createdAt - 1, event.createdAt, event.startsAt - minute, event.startsAt, market.endsAt].map(
      (at) => heatAt(event, market, at),
    )
    const [before, early = 0, soon = 0, live = 0, after] = heats
    assert.deepStrictEqual([before, after], [0, 0])
    assert.isTrue(early < soon && soon < live)
  })
})

describe("Catalogue tables", () => {
  const { tags, series, teams, leagues } = makeCatalogue(options)

  it("have unique ids and slugs", () => {
    assert.deepStrictEqual(duplicates(tags.map(({ id }) => id)), [])
    assert.deepStrictEqual(duplicates(tags.map(({ slug }) => slug)), [])
    assert.deepStrictEqual(duplicates(series.map(({ id }) => id)), [])
    assert.deepStrictEqual(duplicates(series.map(({ slug }) => slug)), [])
    assert.deepStrictEqual(duplicates(teams.map(({ id }) => String(id))), [])
    assert.deepStrictEqual(duplicates(teams.map(({ league, abbreviation }) => `${league} ${abbreviation}`)), [])
    assert.deepStrictEqual(duplicates(teams.map(({ league, alias }) => `${league} ${alias}`)), [])
  })

  it("have seven crypto series per coin and one per league", () => {
    for (const coin of coins.keys()) assert.strictEqual(series.filter((one) => one.coin === coin).length, 7)
    for (const { code, seriesId } of leagues) {
      assert.strictEqual(series.find(({ league }) => league === code)?.id, seriesId)
      assert.isAtLeast(teams.filter(({ league }) => league === code).length, 10)
    }
  })

  it("assign two to five tags to every event", () => {
    assert.deepStrictEqual(slugsOf(events.filter((event) => event.tags.length < 2 || event.tags.length > 5)), [])
  })
})
