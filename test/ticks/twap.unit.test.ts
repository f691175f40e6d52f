import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Tick } from "#src/domain/Tick.ts"
import { type TwapWindow, twapAt, twapWindows } from "#src/ticks/live/twap.ts"
import { quoteOf } from "#test/support/quoteOf.ts"

const start = 1_794_700_800_000

/** Ticks are in tenths of seconds, so that the reference can iterate over all of them. */
const tenth = 100

const ticksOf = (steps: ReadonlyArray<readonly [gap: number, price: number]>): ReadonlyArray<Tick> => {
  let at = start
  return steps.map(([gap, price]) => {
    at += gap * tenth
    return { coin: "BTC" as const, at, ...quoteOf(BigInt(price), BigInt(price - 1), BigInt(price + 2)) }
  })
}

/** Reference: samples the price in every tenth of a second. */
const reference = (ticks: ReadonlyArray<Tick>, index: number, seconds: TwapWindow): bigint => {
  const last = ticks[index] as Tick
  let [sum, count] = [0n, 0n]
  for (let moment = last.at - seconds * 1000; moment < last.at; moment += tenth) {
    const current = ticks.slice(0, index).findLast(({ at }) => at <= moment)
    if (current === undefined || current.at < last.at - 2 * seconds * 1000) continue
    sum += current.price
    count += 1n
  }
  return count === 0n ? last.price : (2n * sum + count) / (2n * count)
}

const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 10 ** 13 })), {
  minLength: 1,
  maxLength: 90,
})
const regularSteps = fc.array(fc.tuple(fc.constantFrom(10, 10, 10, 20, 3), fc.integer({ min: 1, max: 10 ** 13 })), {
  minLength: 1,
  maxLength: 90,
})
const window = fc.constantFrom(...twapWindows)

describe("twapAt", () => {
  it("equals the mean of the prices at every moment of the window", () => {
    fc.assert(
      fc.property(fc.oneof(steps, regularSteps), window, (each, seconds) => {
        const ticks = ticksOf(each)
        for (const index of [0, ticks.length >> 1, ticks.length - 1]) {
          assert.strictEqual(twapAt(ticks, index, seconds)?.price, reference(ticks, index, seconds))
        }
      }),
    )
  })

  it("lies between the lowest and the highest price and averages bid and ask alike", () => {
    fc.assert(
      fc.property(regularSteps, window, (each, seconds) => {
        const ticks = ticksOf(each)
        const { price, bid, ask } = twapAt(ticks, ticks.length - 1, seconds) as Tick
        const prices = ticks.map((tick) => tick.price)
        assert.isTrue(prices.some((other) => other <= price) && prices.some((other) => other >= price))
        assert.deepStrictEqual([bid, ask], [price - 1n, price + 2n])
      }),
    )
  })

  it("depends only on the ticks of the last two windows", () => {
    fc.assert(
      fc.property(steps, steps, window, (before, each, seconds) => {
        const all = ticksOf([...before, ...each])
        const index = before.length + (each.length >> 1)
        const end = (all[index] as Tick).at
        const relevant = all.filter(({ at }) => at >= end - 2 * seconds * 1000 && at <= end)
        assert.deepStrictEqual(twapAt(all, index, seconds), twapAt(relevant, relevant.length - 1, seconds))
      }),
    )
  })

  it("returns the price of a single tick and undefined without a tick", () => {
    const [tick] = ticksOf([[1, 500]])
    assert.strictEqual(twapAt([tick as Tick], 0, 30)?.price, 500n)
    assert.isUndefined(twapAt([], 0, 30))
  })
})
