import type { Simulation } from "../Simulation.ts"
import { firstBlock } from "../world/blockClock.ts"

/** Transactions not in a visible block yet; 0 after `settle`. */
export const pendingOf = ({ model, head }: Simulation): number => {
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
