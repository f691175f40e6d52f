import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import type { Market, Token } from "#src/simulator/world/Venue.ts"
import { venueCatalogue } from "#test/catalogue/support/venueCatalogue.ts"
import { type Expected, expectedPositions } from "#test/positions/support/expected.ts"

type Catalogue = ReturnType<ReturnType<typeof venueCatalogue>["catalogue"]>
export type Listed = Catalogue["markets"][number]
export type ListedEvent = Catalogue["events"][number]

export interface ExpectedMarket {
  readonly market: Market
  readonly tokens: ReadonlyArray<Token>
  /** As the venue lists it; undefined if our catalogue does not have it. */
  readonly listed: Listed | undefined
  readonly event: ListedEvent | undefined
  /** The legs of a combo. */
  readonly legs: string | null
  readonly held: ReadonlyArray<Expected>
}

/** Every market that the chain has mentioned, and every listed one. */
export const expectedMarkets = Effect.fnUntraced(function* (simulation: Simulation) {
  const { sql } = yield* Postgres
  const { markets, tokens } = simulation.model.world.venue
  const catalogue = venueCatalogue(simulation).catalogue()
  const ours = new Set((yield* sql<{ id: number }>`select id from market`).map(({ id }) => id))
  const listed = new Map(catalogue.markets.filter(({ id }) => ours.has(id)).map((row) => [`0x${row.condition}`, row]))
  const events = new Map(catalogue.events.map((event) => [event.id, event]))
  const held = Map.groupBy(yield* expectedPositions(simulation), ({ token }) => token.market)
  return markets.flatMap((market): ReadonlyArray<ExpectedMarket> => {
    const row = listed.get(market.conditionId)
    const positions = held.get(market) ?? []
    if (row === undefined && positions.length === 0) return []
    return [
      {
        market,
        tokens: market.tokens.map((index) => tokens[index] as Token),
        listed: row,
        event: row && events.get(row.event),
        legs: positions[0]?.legs ?? null,
        held: positions,
      },
    ]
  })
})

/** Resolutions on the chain, in the order of their blocks. */
export const expectedResolutions = (simulation: Simulation) => {
  const { venue, facts, clock } = simulation.model.world
  return venue.markets
    .flatMap((market) => {
      const { resolvedBy, payouts } = market
      if (resolvedBy === undefined || payouts === undefined) return []
      const block = facts.block.get(resolvedBy) + firstBlock
      const at = Math.floor(clock.millisOf(block) / 1000) * 1000
      return [{ market, payouts, block, at, tx: simulation.chain.transactionHash(resolvedBy) }]
    })
    .sort((a, b) => a.block - b.block)
}
