import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toLeague, toMarket, toTeam } from "#src/upstream/gamma/decode.ts"
import { readEvents, readRows } from "#src/upstream/gamma/rows.ts"
import { WireMarket, WireSport, WireTeam } from "#src/upstream/gamma/wire.ts"

const readMarkets = readRows("market", WireMarket, (wire) => toMarket(wire, null))

/** A market with all documented fields of the real service, in their documented format. */
const market = {
  id: "512345",
  version: "v1",
  conditionId: `0x${"AB".repeat(32)}`,
  questionID: `0x${"01".repeat(32)}`,
  slug: "btc-updown-5m-1794719700",
  question: "Bitcoin Up or Down - May 12, 7:10AM-7:15AM ET",
  groupItemTitle: "",
  groupItemThreshold: "0",
  outcomes: '["Up", "Down"]',
  shortOutcomes: '["Up", "Down"]',
  outcomePrices: '["0.515", "0.485"]',
  clobTokenIds: '["1234567890", "98765432109876543210"]',
  active: true,
  closed: false,
  archived: false,
  acceptingOrders: true,
  negRisk: false,
  automaticallyResolved: true,
  startDate: "2026-05-11T11:10:00Z",
  endDate: "2026-05-12T11:15:00Z",
  startDateIso: "2026-05-11",
  createdAt: "2026-05-11T11:09:58.123456Z",
  eventStartTime: "2026-05-12T11:10:00Z",
  volume: "1234.567891",
  volumeNum: 1234.567891,
  volume24hr: 12.5,
  liquidity: "987.6",
  liquidityNum: 987.6,
  bestBid: 0.51,
  bestAsk: 0.52,
  lastTradePrice: 0.515,
  oneDayPriceChange: -0.015,
  orderPriceMinTickSize: 0.01,
  orderMinSize: 5,
  makerBaseFee: 1000,
  takerBaseFee: 1000,
  secondsDelay: 0,
  feesEnabled: true,
  feeType: "crypto_fees_v2",
  feeSchedule: { exponent: 1, rate: 0.07, takerOnly: true, rebateRate: 0.2 },
  cryptoMarketConfig: {
    id: "btc-5m-twap-60",
    asset: "btc",
    duration: "5m",
    twapEnabled: true,
    twapLookbackSeconds: 60,
  },
  clobRewards: [
    { id: "1", conditionId: "", assetAddress: "", rewardsAmount: 0, rewardsDailyRate: 5, startDate: "2026-01-01" },
  ],
  events: [
    { id: "61234", slug: "btc-updown-5m-1794719700", title: "Bitcoin Up or Down", seriesSlug: "btc-up-or-down-5m" },
  ],
}

const one = (row: object) => {
  const { good, bad } = Effect.runSync(readMarkets([row]))
  assert.deepStrictEqual(bad, [])
  return good[0] as ReturnType<typeof toMarket>
}

describe("Catalogue markets", () => {
  it("are decoded with lists in strings, money as whole millionths and times as milliseconds", () => {
    const read = one(market)
    assert.deepInclude(read, {
      id: 512_345,
      event: 61_234,
      condition: "ab".repeat(32),
      outcomes: ["Up", "Down"],
      prices: [515_000, 485_000],
      tokens: [(1234567890).toString(16).padStart(64, "0"), 98765432109876543210n.toString(16).padStart(64, "0")],
      createdAt: Date.UTC(2026, 4, 11, 11, 9, 58, 123),
      opensAt: Date.UTC(2026, 4, 12, 11, 10),
      endsAt: Date.UTC(2026, 4, 12, 11, 15),
      closedAt: null,
      volume: 1_234_567_891,
      volumeDay: 12_500_000,
      liquidity: 987_600_000,
      bestBid: 510_000,
      bestAsk: 520_000,
      lastTrade: 515_000,
      dayChange: -15_000,
      tickSize: 10_000,
      minSize: 5_000_000,
      fees: { kind: "crypto_fees_v2", rate: 70_000, exponent: 1, takerOnly: true, rebateRate: 200_000 },
      priceRule: { asset: "btc", duration: "5m", twapSeconds: 60 },
      groupTitle: null,
      payouts: null,
    })
  })

  it("may have numbers in quotes, missing or empty fields, and newer ids in a plain list", () => {
    const bare = one({ id: 7, slug: "s", question: "q", conditionId: "", outcomes: null, endDate: "" })
    assert.deepInclude(bare, {
      id: 7,
      condition: null,
      outcomes: [],
      tokens: [],
      endsAt: null,
      volume: null,
      event: null,
    })
    const newer = one({ ...market, version: "v2", clobTokenIds: null, positionIds: ["16", "17"], bestBid: "0.51" })
    assert.deepStrictEqual(
      newer.tokens,
      ["10", "11"].map((hex) => hex.padStart(64, "0")),
    )
    assert.strictEqual(newer.bestBid, 510_000)
    assert.strictEqual(one({ ...market, volumeNum: null }).volume, 1_234_567_891)
  })

  it("have their closing time in either of two formats", () => {
    const at = Date.UTC(2026, 3, 5, 19, 37, 33)
    assert.strictEqual(one({ ...market, closedTime: "2026-04-05 19:37:33+00" }).closedAt, at)
    assert.strictEqual(one({ ...market, closedTime: "2026-04-05T19:37:33Z" }).closedAt, at)
    assert.strictEqual(one({ ...market, closedTime: "2026-04-05 21:37:33.000+02:00" }).closedAt, at)
  })

  it("are resolved only if closed with final prices", () => {
    const payouts = (more: object) => one({ ...market, ...more }).payouts
    const unsure = { automaticallyResolved: false }
    assert.deepStrictEqual(payouts({ closed: true, outcomePrices: '["0", "1"]' }), [0, 1_000_000])
    assert.deepStrictEqual(payouts({ closed: true, outcomePrices: '["0.5", "0.5"]' }), [500_000, 500_000])
    assert.isNull(payouts({ ...unsure, closed: true, outcomePrices: '["0.5", "0.5"]' }))
    const agreed = { ...unsure, closed: true, outcomePrices: '["0.5", "0.5"]', umaResolutionStatus: "resolved" }
    assert.deepStrictEqual(payouts(agreed), [500_000, 500_000])
    assert.isNull(payouts({ ...unsure, closed: true, outcomePrices: '["0.9995", "0.0005"]' }))
    assert.isNull(payouts({ closed: true, outcomePrices: '["0", "0"]' }))
    assert.isNull(payouts({ closed: false, outcomePrices: '["1", "0"]' }))
  })

  it("that cannot be decoded or stored are skipped one by one with the reason", () => {
    const broken = [
      { ...market, closed: "true" },
      { ...market, outcomes: '["Up", ' },
      { ...market, question: "a\0b" },
      { ...market, id: "x" },
      { ...market, bestBid: 1e9 },
      { ...market, volume: "lots" },
      { ...market, endDate: "soon" },
      "market",
    ]
    const { good, bad } = Effect.runSync(readMarkets([...broken, market]))
    assert.lengthOf(good, 1)
    assert.lengthOf(bad, broken.length)
    assert.include(bad[0]?.reason, "closed")
    assert.strictEqual(bad[0]?.item, broken[0])
  })
})

describe("Catalogue events", () => {
  const event = {
    id: "61234",
    ticker: "nba-bos-nyk-2026-03-01",
    slug: "nba-bos-nyk-2026-03-01",
    title: "Celtics vs. Knicks",
    startDate: "2026-02-27T15:00:00Z",
    creationDate: "2026-02-27T15:00:01Z",
    endDate: "2026-03-02T00:30:00Z",
    startTime: "2026-03-02T00:30:00Z",
    closedTime: "2026-03-02T03:04:05.678Z",
    published_at: "2026-02-27 15:00:02.5+00",
    active: true,
    closed: true,
    volume: 12.5,
    openInterest: 3,
    tags: [
      { id: "1", label: "Sports", slug: "sports", forceShow: false },
      { id: "745", label: "NBA", slug: "nba" },
    ],
    series: [{ id: "10345", slug: "nba-2026", title: "NBA 2026", recurrence: "daily", active: true }],
    seriesSlug: "nba-2026",
    gameId: 20025,
    live: false,
    ended: true,
    score: "2-1",
    period: "2H",
    elapsed: "63:10",
    gameStatus: "InProgress",
    finishedTimestamp: "2026-03-02T03:00:00Z",
    homeTeamName: "Knicks",
    teams: [
      { id: 5, name: "Knicks", league: "nba", ordering: "home", providerId: 12 },
      { id: 6, name: "Celtics", league: "nba", ordering: "away" },
    ],
    spreadsMainLine: -3.5,
    totalsMainLine: 221.5,
    eventDate: "2026-03-01",
    parentEventId: null,
    markets: [
      {
        ...market,
        gameId: "20025",
        eventStartTime: null,
        sportsMarketType: "spreads",
        line: -3.5,
        gameStartTime: "2026-03-02 00:30:00+00",
      },
      { ...market, id: "3", closed: 1 },
    ],
  }

  it("are decoded with their game; an undecodable market does not affect the others", () => {
    const { good, bad } = Effect.runSync(readEvents([event]))
    const [read] = good
    assert.lengthOf(bad, 1)
    assert.deepInclude(read, {
      id: 61_234,
      category: "sports",
      createdAt: Date.UTC(2026, 1, 27, 15, 0, 1),
      opensAt: Date.UTC(2026, 2, 2, 0, 30),
      closedAt: Date.UTC(2026, 2, 2, 3, 4, 5, 678),
      spreadsMainLine: -3_500_000,
      totalsMainLine: 221_500_000,
      openInterest: 3_000_000,
    })
    assert.deepInclude(read?.game, {
      id: "20025",
      league: "nba",
      home: "Knicks",
      away: "Celtics",
      homeTeam: 5,
      awayTeam: 6,
    })
    assert.deepInclude(read?.game?.state, { status: "inprogress", score: "2-1", period: "2H", elapsed: "63:10" })
    assert.deepInclude(read?.series, { id: 10_345, recurrence: "daily" })
    assert.lengthOf(read?.markets ?? [], 1)
    assert.deepInclude(read?.markets[0], {
      event: 61_234,
      line: -3_500_000,
      game: "20025",
      opensAt: Date.UTC(2026, 2, 2, 0, 30),
    })
  })

  it("have the prices of up/down windows in units of 10⁻⁸", () => {
    const { good } = Effect.runSync(
      readEvents([{ ...event, eventMetadata: { priceToBeat: 89_299.05123456, finalPrice: "89530.19" } }]),
    )
    assert.deepInclude(good[0], { priceToBeat: 8_929_905_123_456, finalPrice: 8_953_019_000_000 })
  })
})

describe("Leagues and teams", () => {
  it("are decoded from comma-separated ids", () => {
    const sport = {
      id: 34,
      sport: "nba",
      image: "i",
      resolution: "r",
      ordering: "away",
      tags: "1,100639, 28",
      series: "10345",
    }
    const [league] = Effect.runSync(readRows("sport", WireSport, toLeague)([sport])).good
    assert.deepStrictEqual(league?.tags, [1, 100_639, 28])
    assert.strictEqual(league?.series, 10_345)
    const team = {
      id: 5,
      name: "Knicks",
      league: "nba",
      record: "10-2",
      abbreviation: "nyk",
      providerId: 12,
      color: "#f58426",
    }
    const [read] = Effect.runSync(readRows("team", WireTeam, toTeam)([team])).good
    assert.deepInclude(read, { id: 5, abbreviation: "nyk", provider: 12, alias: null })
  })
})
