import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { TxKind } from "../../world/Facts.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { blockRange, orNotFound, pageOf, type Routes } from "../request.ts"
import { chainStatus } from "../state.ts"

/** State and holders of markets, from the books. */
export const marketRoutes = (sim: Simulation): Routes => {
  const { world, wallets } = sim.model
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

  /** The market that a transaction resolves, and the combos that it decides. */
  const resolvedBy = (tx: number): ReadonlyArray<Market> => {
    if (facts.kind.get(tx) !== TxKind.resolve) return []
    return [venue.markets[facts.market.get(tx)] as Market, ...venue.combosDecidedBy(tx)]
  }

  const resolutionJson = (market: Market) => {
    const tx = market.resolvedBy as number
    return {
      condition_id: market.conditionId,
      slug: market.plan.slug,
      block: facts.block.get(tx) + firstBlock,
      transaction_hash: sim.chain.transactionHash(tx),
      resolved_at: facts.at.get(tx),
      payouts: market.payouts,
    }
  }

  return {
    "GET /truth/markets/*": ({ key }) =>
      orNotFound(venue.bySlug.get(key), "event").markets.map((index) => marketJson(venue.markets[index] as Market)),
    "GET /truth/conditions": ({ query }) => {
      const { limit, offset } = pageOf(query, 1_000, 10_000)
      const conditions = venue.markets.slice(offset, offset + limit).map(marketJson)
      return { ...chainStatus(sim), total: venue.markets.length, limit, offset, conditions }
    },
    "GET /truth/conditions/*": ({ key }) => ({
      ...chainStatus(sim),
      ...marketJson(orNotFound(venue.marketWithCondition(key), "condition")),
    }),
    "GET /truth/tokens/*": ({ key }) => {
      const { id, index, market, outcome } = orNotFound(venue.tokenWithId(key), "token")
      return {
        ...chainStatus(sim),
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
      const all: Array<Market> = []
      for (let tx = first; tx < end; tx++) all.push(...resolvedBy(tx))
      const resolutions = all.slice(offset, offset + limit).map(resolutionJson)
      return { from_block: fromBlock, to_block: toBlock, total: all.length, limit, offset, resolutions }
    },
  }
}
