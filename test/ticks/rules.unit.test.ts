import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { coins, type TickRange, secondOf, type Tick, tickId, tickSources } from "#src/domain/Tick.ts"
import { coveredBy } from "#src/ticks/TickStore.ts"
import { RecentTicks } from "#src/ticks/RecentTicks.ts"
import { judgePage, nextPages, settledBy } from "#src/ticks/refill.ts"

const now = 1_794_700_800_000
const tickAt = (at: number, price = BigInt(at)): Tick => ({ coin: "BTC", at, price, bid: price, ask: price })

describe("A tick's id", () => {
  it("begins with its millisecond and is that of no other coin or source", () => {
    const ids = tickSources.flatMap((source) => coins.map((coin) => tickId(source, { coin, at: now })))
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^1794700800000-\d+$/)
  })

  it("stays what it is: ids are stored by those who use them", () => {
    assert.strictEqual(tickId("oracle_data_streams", { coin: "BTC", at: 7 }), "7-0")
    assert.strictEqual(tickId("platform_oracle", { coin: "BTC", at: 7 }), "7-1")
    assert.strictEqual(tickId("oracle_data_streams", { coin: "HYPE", at: 7 }), "7-48")
  })
})

describe("The seconds that ticks cover", () => {
  const secondsIn = (stretches: ReadonlyArray<TickRange>) =>
    new Set(
      stretches.flatMap(({ coin, from, to }) => Array.from({ length: to - from }, (_, i) => `${coin} ${from + i}`)),
    )

  it("are those in which there is one, in whatever order they come", () => {
    const said = fc.array(fc.record({ coin: fc.constantFrom(...coins), at: fc.nat(20_000) }))
    fc.assert(
      fc.property(said, (places) => {
        const ticks = places.map(({ coin, at }) => ({ ...tickAt(now + at), coin }))
        assert.deepStrictEqual(
          secondsIn(coveredBy(ticks)),
          new Set(ticks.map((each) => `${each.coin} ${secondOf(each)}`)),
        )
      }),
    )
  })

  it("are one stretch of each coin where none is missing", () => {
    const ticks = [0, 1_000, 1_500, 2_000].flatMap((at) => coins.map((coin) => ({ ...tickAt(now + at), coin })))
    const from = now / 1000
    assert.deepStrictEqual(
      coveredBy(ticks),
      coins.map((coin) => ({ coin, from, to: from + 3 })),
    )
  })
})

describe("Live ticks", () => {
  it("count once each, in whatever order and however often they come within the time that overtaking takes", () => {
    const arrivals = fc.array(
      fc.record({ second: fc.nat(300), lateBy: fc.nat(9), times: fc.integer({ min: 1, max: 3 }) }),
    )
    fc.assert(
      fc.property(arrivals, (said) => {
        const recent = new RecentTicks()
        const taken: Array<number> = []
        const order = said
          .flatMap(({ second, lateBy, times }) =>
            Array.from({ length: times }, (_, i) => ({ second, at: second + lateBy * (i / times) })),
          )
          .sort((a, b) => a.at - b.at)
        for (const { second } of order) {
          const tick = tickAt(now + second * 1000)
          if (recent.judge(tick, tick.at) !== "new") continue
          recent.remember(tick)
          taken.push(second)
        }
        assert.deepStrictEqual(
          taken.sort((a, b) => a - b),
          [...new Set(said.map(({ second }) => second))].sort((a, b) => a - b),
        )
      }),
    )
  })

  it("from a wrong clock are told apart", () => {
    const recent = new RecentTicks()
    recent.remember(tickAt(now))
    const verdict = (at: number, price?: bigint) => recent.judge(tickAt(at, price), now)
    assert.strictEqual(verdict(now), "duplicate")
    assert.strictEqual(verdict(now, 5n), "contradiction")
    assert.strictEqual(verdict(now + 2_000), "new")
    assert.strictEqual(verdict(now + 2_001), "ahead")
    assert.strictEqual(verdict(now - 10_000), "new")
    assert.strictEqual(verdict(now - 10_001), "late")
    assert.strictEqual(verdict(now - 60_001), "behind")
    const stretch = [now - 3_000, now - 1_000].map((at) => tickAt(at))
    assert.strictEqual(recent.judgeStretch(stretch, now), "new")
    assert.strictEqual(recent.judgeStretch([...stretch, tickAt(now + 3_000)], now), "ahead")
    assert.strictEqual(recent.judgeStretch([...stretch, tickAt(now, 7n)], now), "contradiction")
    assert.strictEqual(recent.judgeStretch([tickAt(now - 90_000)], now), "behind")
  })

  it("are remembered for minutes and not for ever", () => {
    const recent = new RecentTicks()
    for (let second = 0; second < 5_000; second++) recent.remember(tickAt(now + second * 1000))
    const last = now + 4_999_000
    assert.strictEqual(recent.judge(tickAt(last - 299_000), last), "duplicate")
    assert.strictEqual(recent.judge(tickAt(now), now + 20_000), "late")
  })
})

describe("Filling holes", () => {
  const stretch = (from: number, to: number): TickRange => ({ coin: "BTC", from, to })

  it("begins with the newest, a page of each coin at a time, many small holes at once", () => {
    const eth = (from: number, to: number): TickRange => ({ coin: "ETH", from, to })
    const missing = [stretch(5_000, 5_001), eth(100, 4_000), stretch(4_500, 4_600), stretch(4_000, 4_090)]
    assert.deepStrictEqual(nextPages(missing, new Map()), [stretch(4_500, 5_001), eth(3_100, 4_000)])
    const nothingMore = new Map([["BTC", 4_550] as const, ["ETH", 50] as const])
    assert.deepStrictEqual(nextPages(missing, nothingMore), [stretch(4_000, 4_550)])
  })

  it("every missing second is asked for in the end, whatever the holes", () => {
    const holes = fc.uniqueArray(fc.nat(5_000), { maxLength: 200 })
    fc.assert(
      fc.property(holes, (seconds) => {
        const left = new Set(seconds)
        for (let turn = 0; left.size > 0; turn++) {
          assert.isBelow(turn, 20)
          const missing = [...left].sort((a, b) => b - a).map((second) => stretch(second, second + 1))
          for (const { from, to } of nextPages(missing, new Map())) {
            assert.isAtMost(to - from, 900)
            for (let second = from; second < to; second++) left.delete(second)
          }
        }
      }),
    )
  })

  it("a second is empty only when the same answer has something later", () => {
    const at = (...seconds: ReadonlyArray<number>) => seconds.map((second) => tickAt(second * 1000))
    assert.strictEqual(settledBy(stretch(10, 20), []), 10)
    assert.strictEqual(settledBy(stretch(10, 20), at(10, 15)), 16)
    assert.strictEqual(settledBy(stretch(10, 20), at(10, 25)), 20)
    assert.deepStrictEqual(at(10, 15).map(secondOf), [10, 15])
  })

  it("an answer that is off by some time is not believed", () => {
    const truth = Array.from({ length: 100 }, (_, i) => tickAt(now - 200_000 + i * 1000))
    const known = truth.slice(60, 70)
    const skewed = (millis: number) => truth.map((tick) => ({ ...tick, at: tick.at + millis }))
    const page = (ticks: ReadonlyArray<Tick>, unread = 0) => ({ ticks, unread })
    assert.strictEqual(judgePage(page(truth), known, now), "good")
    assert.strictEqual(judgePage(page(truth.slice(0, 65)), known, now), "good")
    for (const millis of [-10_000, -1_000, 1_000, 60_000]) {
      assert.strictEqual(judgePage(page(skewed(millis)), known, now), "contradiction")
      assert.strictEqual(judgePage(page(skewed(millis), 1), known, now), "contradiction")
    }
    assert.strictEqual(judgePage(page(skewed(300_000)), [], now), "ahead")
    assert.strictEqual(judgePage(page(truth.filter((_, i) => i !== 63)), known, now), "contradiction")
    assert.strictEqual(
      judgePage(
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
