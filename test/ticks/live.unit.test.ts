import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { coins, readTickId, tickId, tickSources } from "#src/domain/Tick.ts"
import { FeedMemory, keptMillis, type LiveTick } from "#src/ticks/live/FeedMemory.ts"
import { gapsIn } from "#src/ticks/live/storedTicks.ts"
import { twapWindows } from "#src/ticks/live/twap.ts"
import { quoteOf } from "#test/support/quoteOf.ts"

const source = "oracle_data_streams"
const start = 1_794_700_800_000

const tickAt = (second: number, isAfterGap = false): LiveTick => {
  const [coin, at] = ["BTC" as const, start + second * 1000]
  return { coin, source, at, id: tickId(source, { coin, at }), ...quoteOf(1n), isAfterGap }
}
const secondOf = ({ at }: LiveTick) => (at - start) / 1000

describe("FeedMemory", () => {
  it("adds only newer ticks, finds the ticks after any moment and keeps the last minutes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 300 }),
        fc.nat(3_000),
        (seconds, queried) => {
          const memory = new FeedMemory(source, "BTC", start)
          const added: Array<number> = []
          for (const second of seconds) {
            const isNewer = second > (added.at(-1) ?? 0)
            assert.strictEqual(memory.add(tickAt(second)), isNewer)
            if (isNewer) added.push(second)
          }
          const kept = memory.ticks.map(secondOf)
          const newest = added.at(-1) ?? 0
          assert.deepStrictEqual(kept, added.slice(added.length - kept.length))
          const recent = added.filter((second) => second >= newest - keptMillis / 1000)
          assert.isAtLeast(kept.length, recent.length)
          assert.isAtLeast(newest - (kept[0] ?? newest), 0)
          assert.isAtMost(newest - (kept[0] ?? newest), (1.5 * keptMillis) / 1000)
          assert.deepStrictEqual(
            memory.after(start + queried * 1000).map(secondOf),
            kept.filter((second) => second > queried),
          )
          assert.strictEqual(memory.position, start + newest * 1000)
        },
      ),
    )
  })

  it("tracks the moment after which no tick is missing", () => {
    const memory = new FeedMemory(source, "BTC", start)
    memory.add(tickAt(5))
    assert.strictEqual(memory.completeAfter, start)
    memory.add(tickAt(9, true))
    assert.strictEqual(memory.completeAfter, start + 8_999)
    memory.add(tickAt(2_000))
    assert.strictEqual(memory.completeAfter, start + 2_000_000 - keptMillis)
  })
})

describe("gapsIn", () => {
  it("reports a gap where two ticks of a feed are more than a second apart", () => {
    const gaps = gapsIn(
      [1, 2, 5, 6, 8].map((second) => tickAt(second)),
      () => start - 2_000,
    )
    assert.deepStrictEqual(
      gaps.map(({ after, before }) => [(after - start) / 1000, (before - start) / 1000]),
      [
        [-2, 1],
        [2, 5],
        [6, 8],
      ],
    )
  })

  it("reports no gap before the feed's position", () => {
    assert.isEmpty(gapsIn([tickAt(1), tickAt(7)], () => start + 9_000))
  })

  it("limits a gap to the retained minutes", () => {
    assert.deepStrictEqual(
      gapsIn([tickAt(0)], () => 0).map(({ after }) => after),
      [start - keptMillis],
    )
  })
})

describe("readTickId", () => {
  it("returns the moment, coin and source of an id", () => {
    for (const from of tickSources) {
      for (const coin of coins) {
        for (const window of [0, ...twapWindows]) {
          assert.deepStrictEqual(readTickId(tickId(from, { coin, at: start }, window)), {
            at: start,
            coin,
            source: from,
          })
        }
      }
    }
    assert.deepStrictEqual(readTickId("12-9999"), { at: 12, coin: undefined, source: undefined })
  })
})
