import type { Simulation } from "../Simulation.ts"
import { firstBlock } from "../world/blockClock.ts"
import { TxKind } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import { coins } from "../world/oracle.ts"
import type { Market } from "../world/Venue.ts"
import { faultsJson } from "./faultRoutes.ts"
import type { Routes } from "./request.ts"

/** Transactions not in a visible block yet; 0 after `settle`. */
const pendingOf = ({ model, head }: Simulation): number => {
  const { facts } = model.world
  return facts.length - facts.block.lowerBound(head - firstBlock + 1)
}

/** Progress of the chain; the truth agrees with it once settled. */
export const chainStatus = (sim: Simulation) => ({ head: sim.head, settled: pendingOf(sim) === 0 })

export const stateOf = (sim: Simulation) => {
  const { world, wallets } = sim.model
  const pending = pendingOf(sim)
  return {
    now: sim.now(),
    frozen: sim.frozen,
    head: sim.head,
    events: world.venue.events.length,
    markets: world.venue.markets.length,
    open_markets: world.venue.markets.filter(({ closed }) => !closed).length,
    wallets: wallets.length,
    transactions: world.facts.length,
    pending,
    settled: pending === 0,
    fills: world.facts.fills,
  }
}

const shownBlocks = 10
const shownMarkets = 12
const recentMillis = 5 * 60_000
const shownSeconds = 60
const priceUnit = 1e8

const blockJson = (sim: Simulation, block: number) => {
  const [first, end] = sim.chain.txRange(block)
  return {
    number: block,
    hash: sim.chain.hashOf(block),
    timestamp: sim.model.world.clock.timestampOf(block),
    transactions: end - first,
  }
}

/** The markets with the highest volume in the last minutes. */
const busiest = (sim: Simulation) => {
  const { facts, venue } = sim.model.world
  const usd = new Map<number, Micro>()
  for (let tx = facts.at.lowerBound(sim.now() - recentMillis); tx < facts.length; tx++) {
    if (facts.kind.get(tx) !== TxKind.match || facts.at.get(tx) > sim.now()) continue
    const taken = facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1
    usd.set(facts.market.get(tx), (usd.get(facts.market.get(tx)) ?? 0) + facts.usd.get(taken))
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
    sim.model.world.oracle.priceAt(coin, now - shownSeconds + 1 + i),
  )
  return { symbol, prices: prices.map((price) => price / priceUnit) }
}

/** Data of the overview page. */
export const glanceRoutes = (sim: Simulation): Routes => ({
  "GET /glance": () => ({
    frozen: sim.frozen,
    head: sim.head,
    pending: pendingOf(sim),
    fills: sim.model.world.facts.fills,
    wallets: sim.model.wallets.length,
    markets: sim.model.world.venue.markets.length,
    blocks: Array.from({ length: shownBlocks }, (_, i) => blockJson(sim, sim.head - i)),
    coins: coins.map(({ symbol }, coin) => coinJson(sim, coin, symbol)),
    busiest: busiest(sim),
    ...faultsJson(sim),
  }),
})
