import { assert, describe, it } from "@effect/vitest"
import { makeWorld } from "#src/simulator/world/makeWorld.ts"
import type { PriceRange } from "#src/simulator/world/model.ts"
import type { Market } from "#src/simulator/world/Venue.ts"

const genesis = 1_794_700_800_000
const { world } = makeWorld({ seed: 3, genesis, scale: "tiny" })
world.advanceTo(genesis)

interface LevelMarket {
  readonly market: Market
  readonly range: PriceRange
}

const levels = world.venue.markets.flatMap((market): ReadonlyArray<LevelMarket> => {
  const { rule } = market.plan
  return rule.kind === "fate" && rule.range !== undefined && market.payouts === undefined
    ? [{ market, range: rule.range }]
    : []
})
const events = [...Map.groupBy(levels, ({ market }) => market.event).values()]

const midOf = ({ market }: LevelMarket) => {
  const { bid, ask } = world.quotesAt(market, genesis)
  return (bid + ask) / 2
}

describe("Prices of levels", () => {
  it("fall with the level, and are near one half where the coin stands", () => {
    const nested = events.filter((event) => event.every(({ range }) => range.to === undefined))
    assert.isAbove(nested.length, 3)
    for (const event of nested) {
      const rising = event.toSorted((a, b) => (a.range.from ?? 0) - (b.range.from ?? 0))
      const mids = rising.map(midOf)
      assert.deepStrictEqual(
        mids,
        mids.toSorted((a, b) => b - a),
      )
      for (const { market, range } of rising) {
        const spot = world.oracle.priceAt(range.coin, genesis / 1000)
        const mid = midOf({ market, range })
        if ((range.from ?? 0) > spot * 1.001) assert.isBelow(mid, 510, market.plan.slug)
        if ((range.from ?? 0) < spot * 0.999) assert.isAbove(mid, 490, market.plan.slug)
      }
    }
  })

  it("of ranges that exclude each other add up to one", () => {
    const ranges = events.filter((event) => event.some(({ range }) => range.to !== undefined))
    assert.isAbove(ranges.length, 3)
    for (const event of ranges) {
      const sum = event.reduce((total, level) => total + midOf(level), 0)
      assert.isAtLeast(sum, 930, event[0]?.market.event.plan.slug)
      assert.isAtMost(sum, 1070, event[0]?.market.event.plan.slug)
    }
  })
})
