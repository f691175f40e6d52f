import type { Simulation } from "../Simulation.ts"
import { firstBlock } from "../world/blockClock.ts"

/** Transactions that no shown block holds yet; none after `settle`. */
export const pendingOf = ({ made, head }: Simulation): number => {
  const { facts } = made.world
  return facts.length - facts.block.lowerBound(head - firstBlock + 1)
}

/** How far the truth and the chain have come: they say the same if it is settled. */
export const standing = (sim: Simulation) => ({ head: sim.head, settled: pendingOf(sim) === 0 })

export const stateOf = (sim: Simulation) => {
  const { world, wallets } = sim.made
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
