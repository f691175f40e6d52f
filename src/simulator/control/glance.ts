import type { Simulation } from "../Simulation.ts"
import { Act } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import { coins } from "../world/oracle.ts"
import type { Market } from "../world/Venue.ts"
import { faultsJson } from "./faultRoutes.ts"
import type { Routes } from "./request.ts"
import { pendingOf } from "./state.ts"

const shownBlocks = 10
const shownMarkets = 12
const lately = 5 * 60_000
const shownSeconds = 60
const priceUnit = 1e8

const blockJson = (sim: Simulation, block: number) => {
  const [first, end] = sim.chain.actsOf(block)
  return {
    number: block,
    hash: sim.chain.hashOf(block),
    timestamp: sim.made.world.clock.timestampOf(block),
    transactions: end - first,
  }
}

/** The markets with most matches in the last minutes. */
const busiest = (sim: Simulation) => {
  const { facts, venue } = sim.made.world
  const usd = new Map<number, Micro>()
  for (let act = facts.at.lowerBound(sim.now() - lately); act < facts.length; act++) {
    if (facts.kind.get(act) !== Act.match || facts.at.get(act) > sim.now()) continue
    const taken = facts.firstFill.get(act) + facts.fillCount.get(act) - 1
    usd.set(facts.market.get(act), (usd.get(facts.market.get(act)) ?? 0) + facts.usd.get(taken))
  }
  return [...usd]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shownMarkets)
    .map(([index, recent]) => {
      const { event, plan, last, volume } = venue.markets[index] as Market
      return { event: event.plan.title, question: plan.question, last, volume, recent }
    })
}

const coinJson = (sim: Simulation, coin: number, symbol: string) => {
  const now = Math.floor(sim.now() / 1000)
  const prices = Array.from({ length: shownSeconds }, (_, i) =>
    sim.made.world.oracle.priceAt(coin, now - shownSeconds + 1 + i),
  )
  return { symbol, prices: prices.map((price) => price / priceUnit) }
}

/** What the page shows. */
export const glanceRoutes = (sim: Simulation): Routes => ({
  "GET /glance": () => ({
    frozen: sim.frozen,
    head: sim.head,
    pending: pendingOf(sim),
    fills: sim.made.world.facts.fills,
    wallets: sim.made.wallets.length,
    markets: sim.made.world.venue.markets.length,
    blocks: Array.from({ length: shownBlocks }, (_, i) => blockJson(sim, sim.head - i)),
    coins: coins.map(({ symbol }, coin) => coinJson(sim, coin, symbol)),
    busiest: busiest(sim),
    ...faultsJson(sim),
  }),
})
