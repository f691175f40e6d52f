import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { coins, secondOf, type Tick, type TickRange, tickId, tickSources } from "#src/domain/Tick.ts"
import { twapWindows } from "#src/ticks/live/twap.ts"
import { RecentTicks } from "#src/ticks/RecentTicks.ts"
import { checkPage, nextPages, settledUntil } from "#src/ticks/refill.ts"
import { coveredBy } from "#src/ticks/TickStore.ts"
import { quoteOf } from "#test/support/quoteOf.ts"

const now = 1_794_700_800_000
const tickAt = (at: number, price = BigInt(at)): Tick => ({ coin: "BTC", at, ...quoteOf(price) })

describe("tickId", () => {
  it("starts with the millisecond and is unique per coin, source and window", () => {
    const ids = tickSources.flatMap((source) =>
      coins.flatMap((coin) => [0, ...twapWindows].map((window) => tickId(source, { coin, at: now }, window))),
    )
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^1794700800000-\d+$/)
  })

  it("never changes, because clients store ids", () => {
    assert.strictEqual(tickId("oracle_data_streams", { coin: "BTC", at: 7 }), "7-0")
    assert.strictEqual(tickId("platform_oracle", { coin: "BTC", at: 7 }), "7-1")
    assert.strictEqual(tickId("oracle_data_streams", { coin: "HYPE", at: 7 }), "7-48")
    assert.strictEqual(tickId("oracle_data_streams", { coin: "HYPE", at: 7 }, 30), "7-30048")
  })
})

describe("coveredBy", () => {
  const secondsIn = (ranges: ReadonlyArray<TickRange>) =>
    new Set(ranges.flatMap(({ coin, from, to }) => Array.from({ length: to - from }, (_, i) => `${coin} ${from + i}`)))

  it("covers exactly the seconds with a tick, in any order of arrival", () => {
    const received = fc.array(fc.record({ coin: fc.constantFrom(...coins), at: fc.nat(20_000) }))
    fc.assert(
      fc.property(received, (moments) => {
        const ticks = moments.map(({ coin, at }) => ({ ...tickAt(now + at), coin }))
        assert.deepStrictEqual(
          secondsIn(coveredBy(ticks)),
          new Set(ticks.map((each) => `${each.coin} ${secondOf(each)}`)),
        )
      }),
    )
  })

  it("returns one range per coin when no second is missing", () => {
    const ticks = [0, 1_000, 1_500, 2_000].flatMap((at) => coins.map((coin) => ({ ...tickAt(now + at), coin })))
    const from = now / 1000
    assert.deepStrictEqual(
      coveredBy(ticks),
      coins.map((coin) => ({ coin, from, to: from + 3 })),
    )
  })
})

describe("RecentTicks", () => {
  it("accepts each tick once, in any order and however often it arrives within the late limit", () => {
    const arrivals = fc.array(
      fc.record({ second: fc.nat(300), lateBy: fc.nat(9), times: fc.integer({ min: 1, max: 3 }) }),
    )
    fc.assert(
      fc.property(arrivals, (received) => {
        const recent = new RecentTicks()
        const accepted: Array<number> = []
        const order = received
          .flatMap(({ second, lateBy, times }) =>
            Array.from({ length: times }, (_, i) => ({ second, at: second + lateBy * (i / times) })),
          )
          .sort((a, b) => a.at - b.at)
        for (const { second } of order) {
          const tick = tickAt(now + second * 1000)
          if (recent.check(tick, tick.at) !== "new") continue
          recent.add(tick)
          accepted.push(second)
        }
        assert.deepStrictEqual(
          accepted.sort((a, b) => a - b),
          [...new Set(received.map(({ second }) => second))].sort((a, b) => a - b),
        )
      }),
    )
  })

  it("classifies ticks from a wrong clock", () => {
    const recent = new RecentTicks()
    recent.add(tickAt(now))
    const check = (at: number, price?: bigint) => recent.check(tickAt(at, price), now)
    assert.strictEqual(check(now), "duplicate")
    assert.strictEqual(check(now, 5n), "contradiction")
    assert.strictEqual(check(now + 2_000), "new")
    assert.strictEqual(check(now + 2_001), "ahead")
    assert.strictEqual(check(now - 10_000), "new")
    assert.strictEqual(check(now - 10_001), "late")
    assert.strictEqual(check(now - 60_001), "behind")
    const range = [now - 3_000, now - 1_000].map((at) => tickAt(at))
    assert.strictEqual(recent.checkRange(range, now), "new")
    assert.strictEqual(recent.checkRange([...range, tickAt(now + 3_000)], now), "ahead")
    assert.strictEqual(recent.checkRange([...range, tickAt(now, 7n)], now), "contradiction")
    assert.strictEqual(recent.checkRange([tickAt(now - 90_000)], now), "behind")
  })

  it("keeps prices for minutes only", () => {
    const recent = new RecentTicks()
    for (let second = 0; second < 5_000; second++) recent.add(tickAt(now + second * 1000))
    const last = now + 4_999_000
    assert.strictEqual(recent.check(tickAt(last - 299_000), last), "duplicate")
    assert.strictEqual(recent.check(tickAt(now), now + 20_000), "late")
  })
})

describe("Refilling gaps", () => {
  const range = (from: number, to: number): TickRange => ({ coin: "BTC", from, to })

  it("starts with the newest gaps, one page per coin, which covers many small gaps", () => {
    const eth = (from: number, to: number): TickRange => ({ coin: "ETH", from, to })
    const missing = [range(5_000, 5_001), eth(100, 4_000), range(4_500, 4_600), range(4_000, 4_090)]
    assert.deepStrictEqual(nextPages(missing, new Map()), [range(4_500, 5_001), eth(3_100, 4_000)])
    const exhausted = new Map([["BTC", 4_550] as const, ["ETH", 50] as const])
    assert.deepStrictEqual(nextPages(missing, exhausted), [range(4_000, 4_550)])
  })

  it("requests every missing second eventually, whatever the gaps", () => {
    const gaps = fc.uniqueArray(fc.nat(5_000), { maxLength: 200 })
    fc.assert(
      fc.property(gaps, (seconds) => {
        const left = new Set(seconds)
        for (let round = 0; left.size > 0; round++) {
          assert.isBelow(round, 20)
          const missing = [...left].sort((a, b) => b - a).map((second) => range(second, second + 1))
          for (const { from, to } of nextPages(missing, new Map())) {
            assert.isAtMost(to - from, 900)
            for (let second = from; second < to; second++) left.delete(second)
          }
        }
      }),
    )
  })

  it("settles a second as empty only when the same page has a later tick", () => {
    const at = (...seconds: ReadonlyArray<number>) => seconds.map((second) => tickAt(second * 1000))
    assert.strictEqual(settledUntil(range(10, 20), []), 10)
    assert.strictEqual(settledUntil(range(10, 20), at(10, 15)), 16)
    assert.strictEqual(settledUntil(range(10, 20), at(10, 25)), 20)
    assert.deepStrictEqual(at(10, 15).map(secondOf), [10, 15])
  })

  it("rejects a page with shifted timestamps", () => {
    const truth = Array.from({ length: 100 }, (_, i) => tickAt(now - 200_000 + i * 1000))
    const known = truth.slice(60, 70)
    const skewed = (millis: number) => truth.map((tick) => ({ ...tick, at: tick.at + millis }))
    const page = (ticks: ReadonlyArray<Tick>, unread = 0) => ({ ticks, unread })
    assert.strictEqual(checkPage(page(truth), known, now), "good")
    assert.strictEqual(checkPage(page(truth.slice(0, 65)), known, now), "good")
    for (const millis of [-10_000, -1_000, 1_000, 60_000]) {
      assert.strictEqual(checkPage(page(skewed(millis)), known, now), "contradiction")
      assert.strictEqual(checkPage(page(skewed(millis), 1), known, now), "contradiction")
    }
    assert.strictEqual(checkPage(page(skewed(300_000)), [], now), "ahead")
    assert.strictEqual(checkPage(page(truth.filter((_, i) => i !== 63)), known, now), "contradiction")
    assert.strictEqual(
      checkPage(
        page(
          truth.filter((_, i) => i !== 63),
          1,
        ),
        known,
        now,
      ),
      "unread",
    )
  })
})
