import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { Act } from "../../world/Facts.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { known, pageOf, type Routes } from "../request.ts"
import { standing } from "../state.ts"
import { blockRange } from "./blockRange.ts"

/** What markets have come to and who holds them, from the books. */
export const marketRoutes = (sim: Simulation): Routes => {
  const { world, wallets } = sim.made
  const { venue, facts } = world
  const { books } = venue

  const marketJson = (market: Market) => ({
    slug: market.plan.slug,
    condition_id: market.conditionId,
    token_ids: market.tokens.map((token) => (venue.tokens[token] as Token).id),
    volume: market.volume,
    open_interest: market.openInterest,
    matches: market.trades,
    closed: market.closed,
    payouts: market.payouts ?? null,
    resolved_at: market.resolvedAt ?? null,
  })

  const holdersOf = (token: number) => {
    const holders: Array<object> = []
    for (const position of books.holdersOf(token)) {
      const shares = books.shares.get(position)
      if (shares === 0) continue
      const address = wallets[books.walletOf.get(position)]?.address
      holders.push({ address, shares, cost: books.cost.get(position), realized: books.realized.get(position) })
    }
    return holders
  }

  const resolutionJson = (act: number) => {
    const market = venue.markets[facts.market.get(act)] as Market
    return {
      condition_id: market.conditionId,
      slug: market.plan.slug,
      block: facts.block.get(act) + firstBlock,
      transaction_hash: sim.chain.transactionHash(act),
      resolved_at: facts.at.get(act),
      payouts: market.payouts,
    }
  }

  return {
    "GET /truth/markets/*": ({ key }) =>
      known(venue.bySlug.get(key), "event").markets.map((index) => marketJson(venue.markets[index] as Market)),
    "GET /truth/conditions": ({ query }) => {
      const { limit, offset } = pageOf(query, 1_000, 10_000)
      const conditions = venue.markets.slice(offset, offset + limit).map(marketJson)
      return { ...standing(sim), total: venue.markets.length, limit, offset, conditions }
    },
    "GET /truth/conditions/*": ({ key }) => ({
      ...standing(sim),
      ...marketJson(known(venue.marketWithCondition(key), "condition")),
    }),
    "GET /truth/tokens/*": ({ key }) => {
      const { id, index, market, outcome } = known(venue.tokenWithId(key), "token")
      return {
        ...standing(sim),
        token_id: id,
        condition_id: market.conditionId,
        outcome: market.plan.outcomes[outcome],
        outcome_index: outcome,
        holders: holdersOf(index),
      }
    },
    "GET /truth/resolutions": ({ query }) => {
      const { limit, offset } = pageOf(query, 1_000, 10_000)
      const { fromBlock, toBlock, first, end } = blockRange(sim, query)
      const acts: Array<number> = []
      for (let act = first; act < end; act++) if (facts.kind.get(act) === Act.resolve) acts.push(act)
      const resolutions = acts.slice(offset, offset + limit).map(resolutionJson)
      return { from_block: fromBlock, to_block: toBlock, total: acts.length, limit, offset, resolutions }
    },
  }
}
