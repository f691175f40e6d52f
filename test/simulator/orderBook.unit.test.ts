import { assert, describe, it } from "@effect/vitest"
import { Side, TxKind } from "#src/simulator/world/Facts.ts"
import { makeWorld } from "#src/simulator/world/makeWorld.ts"
import type { Micro } from "#src/simulator/world/model.ts"
import type { Book } from "#src/simulator/world/orderBook.ts"
import type { Market } from "#src/simulator/world/Venue.ts"

const genesis = 1_794_700_800_000
const { world } = makeWorld({ seed: 11, genesis, scale: "tiny" })
world.advanceTo(genesis)
world.setRate(40)
const { facts, venue } = world

/** The market state that determines its book. */
const stateOf = ({ mid, trades, nearCertain }: Market) => ({ mid, trades, nearCertain })
type State = ReturnType<typeof stateOf>

/** The book in an earlier state. */
const bookIn = (market: Market, state: State, outcome: 0 | 1, at: number): Book => {
  const now = stateOf(market)
  Object.assign(market, state)
  const book = world.bookAt(market, outcome, at)
  Object.assign(market, now)
  return book
}

/** The price of a maker's order in terms of the taker's token. */
const priceFor = (fill: number, token: number): number => {
  const price = Math.round((facts.usd.get(fill) * 1000) / facts.shares.get(fill))
  return facts.fillToken.get(fill) === token ? price : 1000 - price
}

/** Advances twenty seconds and returns every match with the state of its market just before. */
const matches = () => {
  const states = new Map(venue.markets.map((market) => [market, stateOf(market)]))
  const seen: Array<{ readonly tx: number; readonly market: Market; readonly before: State }> = []
  for (let at = genesis; at < genesis + 20_000; at += 10) {
    const from = facts.length
    world.advanceTo(at)
    const txs = Array.from({ length: facts.length - from }, (_, i) => from + i).filter(
      (tx) => facts.kind.get(tx) === TxKind.match,
    )
    for (const tx of txs) {
      const market = venue.markets[facts.market.get(tx)] as Market
      const before = states.get(market) ?? stateOf(market)
      // Two trades of one market within a step hide the state between them.
      if (market.trades === before.trades + 1) seen.push({ tx, market, before })
      states.set(market, stateOf(market))
    }
  }
  return seen
}

describe("World.bookAt", () => {
  it("contains the orders that trades are filled from, best price first and within their size", () => {
    const seen = matches()
    assert.isAtLeast(seen.length, 100)
    for (const { tx, market, before } of seen) {
      const own = facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1
      const token = facts.fillToken.get(own)
      const outcome = token === market.tokens[0] ? 0 : 1
      const { bids, asks } = bookIn(market, before, outcome, facts.at.get(tx))
      const side = facts.side.get(own) === Side.buy ? asks : bids
      const taken = new Map<number, Micro>()
      for (let fill = facts.firstFill.get(tx); fill < own; fill++) {
        const price = priceFor(fill, token)
        taken.set(price, (taken.get(price) ?? 0) + facts.shares.get(fill))
      }
      const matchedPrices = [...taken.keys()]
      // A level is skipped only if its makers had already been matched.
      assert.deepStrictEqual(
        matchedPrices,
        side.map(({ price }) => price).filter((price) => taken.has(price)),
        market.plan.slug,
      )
      for (const { price, shares } of side) assert.isAtMost(taken.get(price) ?? 0, shares)
      const total = [...taken.values()].reduce((sum, shares) => sum + shares, 0)
      assert.strictEqual(total, facts.shares.get(own))
      const paid = [...taken].reduce((sum, [price, shares]) => sum + (shares * price) / 1000, 0)
      assert.strictEqual(paid, facts.usd.get(own))
    }
    const first = seen.filter(({ tx, market, before }) => {
      const own = facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1
      const token = facts.fillToken.get(own)
      const { bids, asks } = bookIn(market, before, token === market.tokens[0] ? 0 : 1, facts.at.get(tx))
      const best = (facts.side.get(own) === Side.buy ? asks : bids)[0]
      return priceFor(facts.firstFill.get(tx), token) === best?.price
    })
    assert.strictEqual(first.length, seen.length)
  })

  it("has a spread, descends from the best price and mirrors the other outcome's book", () => {
    const open = venue.markets.filter((market) => !market.closed)
    assert.isNotEmpty(open)
    for (const market of open) {
      const [yes, no] = ([0, 1] as const).map((outcome) => world.bookAt(market, outcome, world.now)) as [Book, Book]
      const tick = world.tickOf(market)
      assert.isAbove(yes.asks[0]?.price ?? 0, yes.bids[0]?.price ?? 1000)
      for (const [side, step] of [
        [yes.bids, -tick],
        [yes.asks, tick],
      ] as const) {
        side.forEach(({ price, shares }, i) => {
          assert.strictEqual(price, (side[0]?.price ?? 0) + i * step)
          assert.isTrue(price > 0 && price < 1000 && price % tick === 0 && shares > 0 && shares % 10_000 === 0)
        })
      }
      assert.deepStrictEqual(
        no.bids,
        yes.asks.map(({ price, shares }) => ({ price: 1000 - price, shares })),
      )
      assert.deepStrictEqual(world.quotesAt(market, world.now), {
        bid: yes.bids[0]?.price,
        ask: yes.asks[0]?.price,
      })
    }
  })

  it("is empty once trading has ended", () => {
    for (const market of venue.markets.filter(({ closed }) => closed).slice(-50)) {
      assert.deepStrictEqual(world.bookAt(market, 0, world.now), { bids: [], asks: [] })
    }
  })
})
