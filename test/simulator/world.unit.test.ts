import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { costShare } from "#src/simulator/world/Books.ts"
import { exchangeAsTaker, Side, TxKind } from "#src/simulator/world/Facts.ts"
import { makeWorld } from "#src/simulator/world/makeWorld.ts"
import type { ScaleName } from "#src/simulator/world/scale.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import type { World } from "#src/simulator/world/World.ts"

const genesis = 1_794_700_800_000
const isSoak = process.env.PRESAGE_SOAK === "1"

const newWorld = (seed: number, scale: ScaleName) => makeWorld({ seed, genesis, scale })

const grown = (seed: number, scale: ScaleName) => {
  const { world, ...rest } = newWorld(seed, scale)
  world.advanceTo(genesis)
  return { world, ...rest }
}

const range = (length: number) => Array.from({ length }, (_, i) => i)

/** A digest of the whole history. */
const digest = ({ facts, venue }: World) => {
  const sum = createHash("sha256")
  for (const tx of range(facts.length)) {
    sum.update(
      `${facts.kind.get(tx)} ${facts.block.get(tx)} ${facts.wallet.get(tx)} ${facts.amount.get(tx)} ${facts.extra.get(tx)};`,
    )
  }
  for (const fill of range(facts.fills)) {
    sum.update(
      `${facts.maker.get(fill)} ${facts.fillToken.get(fill)} ${facts.shares.get(fill)} ${facts.usd.get(fill)};`,
    )
  }
  return sum.update(venue.markets.map(({ last }) => last).join()).digest("hex")
}

/** Collateral locked in the contracts, derived from the facts alone. */
const locked = ({ facts }: World) =>
  range(facts.length).reduce((total, tx) => {
    const amount = facts.amount.get(tx)
    switch (facts.kind.get(tx)) {
      case TxKind.split:
        return total + amount
      case TxKind.merge:
        return total - amount
      case TxKind.redeem:
      case TxKind.combo:
        return total - facts.extra.get(tx)
      case TxKind.convert: {
        const given = facts.extra.get(tx).toString(2).replaceAll("0", "").length
        return total - amount * (given - 1)
      }
      case TxKind.match: {
        const first = facts.firstFill.get(tx)
        const own = first + facts.fillCount.get(tx) - 1
        const pairs = range(own - first)
          .map((i) => first + i)
          .filter((fill) => facts.fillToken.get(fill) !== facts.fillToken.get(own))
          .reduce((sum, fill) => sum + facts.shares.get(fill), 0)
        return total + (facts.side.get(own) === Side.buy ? pairs : -pairs)
      }
      default:
        return total
    }
  }, 0)

const sumOf = (column: { readonly length: number; get(index: number): number }) =>
  range(column.length).reduce((sum, i) => sum + column.get(i), 0)

const amountOf = ({ facts }: World, kind: number) =>
  range(facts.length).reduce((sum, tx) => (facts.kind.get(tx) === kind ? sum + facts.amount.get(tx) : sum), 0)

describe("World", () => {
  const seeds = range(isSoak ? 25 : 2).map((i) => i + 1)
  const brief = seeds.map((seed) => grown(seed, "brief"))
  const tiny = (isSoak ? seeds : [3]).map((seed) => grown(seed, "tiny"))
  const worlds = [...brief, ...tiny]

  it("depends only on its inputs, not on how it was advanced, and differs by seed", () => {
    const [first] = brief
    const { world: stepped } = newWorld(1, "brief")
    for (let moment = stepped.start; moment < genesis; moment += 654_321) stepped.advanceTo(moment)
    stepped.advanceTo(genesis)
    assert.strictEqual(digest(stepped), digest((first as { world: World }).world))
    assert.strictEqual(new Set(worlds.map(({ world }) => digest(world))).size, worlds.length)
  })

  it("has the number of fills of its scale", () => {
    for (const { world, scale } of worlds) {
      assert.isAtLeast(world.facts.fills, scale.fills)
      assert.isAtMost(world.facts.fills, scale.fills * 1.5)
    }
  })

  it("has no negative holdings or cash", () => {
    for (const { world } of worlds) {
      const { books } = world.venue
      for (const column of [books.shares, books.cash])
        assert.isTrue(range(column.length).every((i) => column.get(i) >= 0))
    }
  })

  it("conserves collateral: deposits are cash, fees or locked in the contracts", () => {
    for (const { world } of worlds) {
      const { books } = world.venue
      const paid = amountOf(world, TxKind.rebate) + amountOf(world, TxKind.reward)
      assert.strictEqual(sumOf(books.rebates) + sumOf(books.rewards), paid)
      const inside = amountOf(world, TxKind.wrap) - amountOf(world, TxKind.unwrap) + paid
      assert.strictEqual(sumOf(books.cash) + sumOf(books.feesPaid) + locked(world), inside)
    }
  })

  it("resolved markets are zero-sum after fees", () => {
    for (const { world } of worlds) {
      const { books, markets } = world.venue
      const fees = new Map<number, number>()
      for (const fill of range(world.facts.fills)) {
        const token = world.facts.fillToken.get(fill)
        fees.set(token, (fees.get(token) ?? 0) + world.facts.fee.get(fill))
      }
      // A change of combos moves cost between them.
      const changed = new Set(
        [...world.facts.comboChanges.values()]
          .flat()
          .flatMap(({ given, received }) => [...given, ...received])
          .map((token) => world.venue.tokens[token]?.market),
      )
      const settled = markets.filter(
        (m: Market) =>
          m.createdAt >= world.cutOver &&
          !m.event.plan.negRisk &&
          m.payouts !== undefined &&
          m.volume > 0 &&
          !changed.has(m),
      )
      assert.isNotEmpty(settled)
      for (const market of settled) {
        const realized = market.tokens.flatMap((token) => [...books.holdersOf(token)].map((p) => books.realized.get(p)))
        const paid = market.tokens.reduce((sum, token) => sum + (fees.get(token) ?? 0), 0)
        assert.strictEqual(
          realized.reduce((sum, each) => sum + each, 0),
          -paid,
          market.plan.slug,
        )
      }
    }
  })

  it("up/down markets follow the oracle; ties are Up, or 50/50 for daily markets", () => {
    for (const { world } of worlds) {
      const settled = world.venue.markets.filter(
        ({ plan, payouts }) => plan.rule.kind === "updown" && payouts !== undefined,
      )
      assert.isNotEmpty(settled)
      for (const { plan, payouts } of settled) {
        if (plan.rule.kind !== "updown") continue
        const { coin, by, openAt, closeAt, tie } = plan.rule
        const at = (moment: number) =>
          by === "twap60" ? world.oracle.twap60(coin, moment / 1000) : world.oracle.priceAt(coin, moment / 1000)
        const change = at(closeAt) - at(openAt)
        assert.deepStrictEqual(
          payouts,
          change > 0 || (change === 0 && tie === "up") ? [1, 0] : change < 0 ? [0, 1] : [1, 1],
        )
      }
    }
  })

  it("wallets trade by their behaviour: whales large, bots often, one-timers once", () => {
    // A brief world has too few wallets of each.
    for (const { world, wallets } of tiny) {
      const { facts } = world
      const taken = new Map<number, Array<number>>()
      for (const fill of range(facts.fills)) {
        if (facts.taker.get(fill) !== exchangeAsTaker) continue
        const maker = facts.maker.get(fill)
        taken.set(maker, [...(taken.get(maker) ?? []), facts.shares.get(fill)])
      }
      const of = (behaviour: string) => {
        const orders = wallets
          .filter((wallet) => wallet.behaviour === behaviour)
          .map(({ index }) => taken.get(index) ?? [])
        const all = orders.flat()
        return { orders, each: all.length / orders.length, size: all.reduce((sum, size) => sum + size, 0) / all.length }
      }
      const [whale, bot, taker, oneTimer] = ["whale", "bot", "taker", "one-timer"].map(of) as [
        ReturnType<typeof of>,
        ReturnType<typeof of>,
        ReturnType<typeof of>,
        ReturnType<typeof of>,
      ]
      assert.isAbove(whale.size, taker.size)
      assert.isBelow(bot.size, taker.size)
      assert.isAbove(bot.each, taker.each)
      assert.isTrue(oneTimer.orders.every(({ length }) => length <= 1))
    }
  })

  it("records a realized event for every change of a realized total", () => {
    for (const { world } of worlds) {
      const { books } = world.venue
      const summed = new Map<number, number>()
      for (const i of range(books.eventAmount.length)) {
        const position = books.eventPosition.get(i)
        summed.set(position, (summed.get(position) ?? 0) + books.eventAmount.get(i))
      }
      for (const position of range(books.realized.length)) {
        assert.strictEqual(summed.get(position) ?? 0, books.realized.get(position))
      }
    }
  })
})

describe("costShare", () => {
  it("is rounded half up and exact at any size", () => {
    const amount = fc.integer({ min: 0, max: 4_000_000_000_000 })
    const signed = fc.integer({ min: -4_000_000_000_000, max: 4_000_000_000_000 })
    fc.assert(
      fc.property(signed, amount, fc.integer({ min: 1, max: 4_000_000_000_000 }), (cost, part, whole) => {
        const share = BigInt(costShare(cost, part, whole))
        if (part >= whole) assert.strictEqual(share, BigInt(cost))
        // Within half a unit of the exact value, rounding half up.
        const off = 2n * (share * BigInt(whole) - BigInt(cost) * BigInt(part))
        if (part < whole) assert.isTrue(off > -BigInt(whole) && off <= BigInt(whole))
      }),
    )
  })
})
