import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toMarket } from "#src/upstream/gamma/decode.ts"
import { KnownBadRows } from "#src/upstream/gamma/KnownBadRows.ts"
import { isMostlyBad, readEvents, readRows } from "#src/upstream/gamma/rows.ts"
import { WireMarket } from "#src/upstream/gamma/wire.ts"

const readMarkets = readRows("market", WireMarket, (wire) => toMarket(wire, null))

/** As it arrives: without the fields that are undefined. */
const received = (row: object): unknown => JSON.parse(JSON.stringify(row))

const oneMarket = (row: object) => {
  const { good, bad } = Effect.runSync(readMarkets([received(row)]))
  assert.deepStrictEqual(bad, [])
  return good[0] as ReturnType<typeof toMarket>
}
const events = (...rows: ReadonlyArray<object>) => Effect.runSync(readEvents(rows.map(received)))

const pickleball = {
  id: "2101733",
  question: "St. Louis Shock vs. Texas Ranchers",
  conditionId: "0x4f1a1d5b5f3a6a0a4e1cf8e3b1a0a6d1c2f3e4d5a6b7c8d9e0f1a2b3c4d5e6f7",
  slug: "mlp-stl-tex-2026-08-14",
  gameStartTime: "2026-08-14 21:00:00+00",
  gameId: "dd80aae9-52f9-4c7b-a1cf-7b4ab63cd281:STL:TEX",
  outcomes: '["St. Louis Shock", "Texas Ranchers"]',
  outcomePrices: '["0.5", "0.5"]',
  clobTokenIds: '["11", "12"]',
  marketMakerAddress: "",
  umaResolutionStatuses: "[]",
  volume: "25814545.294374414",
  volume24hr: 9066.547418000006,
  orderPriceMinTickSize: 0.0025,
  feeType: null,
  comboStatus: "pending",
}

const blueWave = {
  id: "31875",
  slug: "blue-wave-in-2026",
  title: "Blue wave in 2026?",
  active: true,
  closed: false,
  gameId: -1,
  volume: 1196404731.1335425,
  eventMetadata: { context_requires_regen: true, opticOddsNumericalId: 12, context_description: "…" },
  markets: [{ id: "1", question: "q", slug: "s" }],
}

describe("Captured catalogue rows", () => {
  it("A4: an event with gameId -1 is kept, with its markets and without a game", () => {
    const { good, bad } = events(blueWave)
    assert.deepStrictEqual(bad, [])
    assert.isNull(good[0]?.game)
    assert.lengthOf(good[0]?.markets ?? [], 1)
  })

  it("A4: the game of a cricket event is in its metadata", () => {
    const { good } = events({ ...blueWave, gameId: undefined, eventMetadata: { gameId: "1000170151LIVE2026" } })
    assert.strictEqual(good[0]?.game?.id, "1000170151LIVE2026")
  })

  it("A5: a market with a composite game id is kept, and the id as it is", () => {
    const market = oneMarket(pickleball)
    assert.strictEqual(market.game, "dd80aae9-52f9-4c7b-a1cf-7b4ab63cd281:STL:TEX")
    assert.deepInclude(market, { tickSize: 2_500, volume: 25_814_545_294_374, fees: null })
    assert.strictEqual(oneMarket({ ...pickleball, gameId: "1427074" }).game, "1427074")
    assert.isNull(oneMarket({ ...pickleball, gameId: undefined }).game)
  })

  it("a volume that is too large to be exact costs neither its event nor its market", () => {
    const large = "98765432109.5"
    const { good, bad } = events({
      ...blueWave,
      volume: 1e13,
      volume24hr: large,
      markets: [{ ...pickleball, volume: large }],
    })
    assert.isEmpty(bad)
    assert.deepInclude(good[0], { volume: null, volumeDay: null })
    assert.isNull(good[0]?.markets[0]?.volume)
  })

  it("A6: as many undecodable markets as the page has events do not fail it", () => {
    const broken = Array.from({ length: 3 }, (_, i) => ({ id: String(100 + i), question: 1 }))
    const page = [
      { ...blueWave, markets: [...broken, ...Array.from({ length: 4 }, (_, i) => ({ id: 200 + i, question: "q" }))] },
      { ...blueWave, id: "2" },
      { ...blueWave, id: "3" },
    ]
    const rows = events(...page)
    assert.lengthOf(rows.good, 3)
    assert.lengthOf(rows.bad, 3)
    assert.isFalse(isMostlyBad(rows))
    assert.isTrue(isMostlyBad(events({ ...blueWave, title: 7 }, { ...blueWave, title: 7 }, blueWave)))
  })

  it("A6: a row that stays undecodable is requested again only once", () => {
    const known = new KnownBadRows()
    const page = () => events(blueWave, { ...blueWave, id: "5", title: 7 })
    const [first, second] = [page(), page()]
    assert.lengthOf(known.without(first).bad, 1)
    known.remember(first.bad, second.bad)
    assert.deepStrictEqual(known.without(page()).bad, [])
    assert.lengthOf(known.without(events({ ...blueWave, id: "5", closed: 7 })).bad, 1, "for another reason")
    assert.lengthOf(known.without(events({ ...blueWave, id: "6", title: 7 })).bad, 1, "another row")
  })

  it("A10: the 31-byte condition of a Protocol V2 market is padded to 32", () => {
    const digits = "012def24bfb0c5c57fb236fac08b94236a0000000000000000000000000000"
    const market = { ...pickleball, version: "v2", conditionId: `0x${digits}`, clobTokenIds: undefined }
    const padded = oneMarket({ ...market, positionIds: '["16", "17"]' })
    assert.strictEqual(padded.condition, `${digits}00`)
    assert.lengthOf(padded.tokens, 2)
    assert.strictEqual(oneMarket({ ...market, conditionId: `0x${digits}00` }).condition, `${digits}00`)
    assert.isNull(oneMarket({ ...market, conditionId: "" }).condition)
    assert.strictEqual(oneMarket({ ...market, version: "v3" }).condition, `${digits}00`)
  })

  it("B10: an undecodable tag, series or team costs neither its event nor the others", () => {
    const { good, bad } = events({
      ...blueWave,
      gameId: 287011684,
      tags: [
        { id: "1", label: "Sports", slug: "sports", createdBy: 15 },
        { id: "2", label: null, slug: null },
        { id: "x", slug: "lost" },
      ],
      series: [{ id: "x" }, { id: 10345, slug: null, title: "NBA 2026", competitive: "0", image: "" }],
      teams: [
        { id: 5, name: "Knicks", ordering: "home", providerId: 2 ** 40 },
        { id: 6, name: "Celtics", ordering: "away", providerId: 1150878178 },
        { id: null, name: "lost" },
      ],
    })
    assert.deepStrictEqual(
      bad.map(({ what }) => what),
      ["tag of an event", "series of an event", "team of an event"],
    )
    const [event] = good
    assert.deepStrictEqual(
      event?.tags.map(({ slug }) => slug),
      ["sports", "2"],
    )
    assert.deepInclude(event?.series, { id: 10_345, slug: "10345", title: "NBA 2026" })
    assert.deepInclude(event?.game, { id: "287011684", home: "Knicks", away: "Celtics" })
  })

  it("C1: the exponent of a fee may have decimals", () => {
    const fees = (exponent: unknown) =>
      oneMarket({ ...pickleball, feesEnabled: true, feeSchedule: { exponent, rate: 0.03 } }).fees?.exponent
    assert.strictEqual(fees(0.5), 0.5)
    assert.strictEqual(fees(1), 1)
  })

  it("C5: a scalar market pays the decimals it closed at, an unresolved one nothing yet", () => {
    const closed = { ...pickleball, closed: true, outcomes: '["Long", "Short"]' }
    const prices = '["0.5843311669077693146635445446077281", "0.4156688330922306853364554553922719"]'
    const scalar = { marketType: "scalar", lowerBound: "0", upperBound: "10", outcomePrices: prices }
    assert.deepStrictEqual(oneMarket({ ...closed, ...scalar }).payouts, [584_331, 415_669])
    assert.isNull(oneMarket({ ...closed, outcomePrices: prices }).payouts)
    assert.isNull(oneMarket({ ...closed, outcomePrices: '["0", "0"]' }).payouts)
    assert.isNull(oneMarket({ ...closed, ...scalar, outcomePrices: '["0", "0"]' }).payouts)
  })
})
