import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Tick } from "#src/domain/Tick.ts"
import { type TwapWindow, twapAt, twapWindows } from "#src/ticks/live/twap.ts"

const start = 1_794_700_800_000

/** In tenths of seconds, so that the other way to work it out can go through all of them. */
const tenth = 100

const ticksOf = (said: ReadonlyArray<readonly [gap: number, price: number]>): ReadonlyArray<Tick> => {
  let at = start
  return said.map(([gap, price]) => {
    at += gap * tenth
    return { coin: "BTC" as const, at, price: BigInt(price), bid: BigInt(price - 1), ask: BigInt(price + 2) }
  })
}

/** Asks of each tenth of a second which price stood in it. */
const slowly = (ticks: ReadonlyArray<Tick>, place: number, seconds: TwapWindow): bigint => {
  const last = ticks[place] as Tick
  let [sum, count] = [0n, 0n]
  for (let moment = last.at - seconds * 1000; moment < last.at; moment += tenth) {
    const standing = ticks.slice(0, place).findLast(({ at }) => at <= moment)
    if (standing === undefined || standing.at < last.at - 2 * seconds * 1000) continue
    sum += standing.price
    count += 1n
  }
  return count === 0n ? last.price : (2n * sum + count) / (2n * count)
}

const said = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 10 ** 13 })), {
  minLength: 1,
  maxLength: 90,
})
const usual = fc.array(fc.tuple(fc.constantFrom(10, 10, 10, 20, 3), fc.integer({ min: 1, max: 10 ** 13 })), {
  minLength: 1,
  maxLength: 90,
})
const window = fc.constantFrom(...twapWindows)

describe("The average of prices over time", () => {
  it("is what one finds by asking every moment for its price", () => {
    fc.assert(
      fc.property(fc.oneof(said, usual), window, (each, seconds) => {
        const ticks = ticksOf(each)
        for (const place of [0, ticks.length >> 1, ticks.length - 1]) {
          assert.strictEqual(twapAt(ticks, place, seconds)?.price, slowly(ticks, place, seconds))
        }
      }),
    )
  })

  it("lies between the lowest and the highest, and averages bid and ask alike", () => {
    fc.assert(
      fc.property(usual, window, (each, seconds) => {
        const ticks = ticksOf(each)
        const { price, bid, ask } = twapAt(ticks, ticks.length - 1, seconds) as Tick
        const prices = ticks.map((tick) => tick.price)
        assert.isTrue(prices.some((other) => other <= price) && prices.some((other) => other >= price))
        assert.deepStrictEqual([bid, ask], [price - 1n, price + 2n])
      }),
    )
  })

  it("depends on nothing but the last two windows, nor on what comes later", () => {
    fc.assert(
      fc.property(said, said, window, (before, each, seconds) => {
        const all = ticksOf([...before, ...each])
        const place = before.length + (each.length >> 1)
        const end = (all[place] as Tick).at
        const enough = all.filter(({ at }) => at >= end - 2 * seconds * 1000 && at <= end)
        assert.deepStrictEqual(twapAt(all, place, seconds), twapAt(enough, enough.length - 1, seconds))
      }),
    )
  })

  it("a tick alone is its own average, and a place without one has none", () => {
    const [tick] = ticksOf([[1, 500]])
    assert.strictEqual(twapAt([tick as Tick], 0, 30)?.price, 500n)
    assert.isUndefined(twapAt([], 0, 30))
  })
})
