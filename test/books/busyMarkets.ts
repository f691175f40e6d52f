import type { Simulation } from "#src/simulator/Simulation.ts"
import type { Market } from "#src/simulator/world/Venue.ts"

/** Open markets that stay open for an hour, the busiest first. */
export const busyMarkets = (sim: Simulation, count: number): ReadonlyArray<Market> =>
  sim.model.world.venue.markets
    .filter(
      ({ legs, payouts, plan }) => legs === undefined && payouts === undefined && plan.endsAt > sim.now() + 3_600_000,
    )
    .sort((a, b) => b.trades - a.trades)
    .slice(0, count)

/** The token ids of both outcomes of each market. */
export const tokensOf = (sim: Simulation, markets: ReadonlyArray<Market>): ReadonlyArray<string> =>
  markets.flatMap(({ tokens }) => tokens.flatMap((token) => sim.model.world.venue.tokens[token]?.id ?? []))
