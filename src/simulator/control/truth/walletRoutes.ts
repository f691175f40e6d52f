import type { Query } from "../../gamma/Query.ts"
import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { exchangeAsTaker, Side } from "../../world/Facts.ts"
import type { Micro, Wallet } from "../../world/model.ts"
import type { Token } from "../../world/Venue.ts"
import { blockRange, orNotFound, pageOf, type Routes } from "../request.ts"
import { chainStatus } from "../state.ts"
import { RealizedEvents, WalletTotals } from "./WalletTotals.ts"

const fillJson = (sim: Simulation, fill: number, tx: number) => {
  const { world, builders } = sim.model
  const { facts, venue } = world
  const { id, market } = venue.tokens[facts.fillToken.get(fill)] as Token
  const buys = facts.side.get(fill) === Side.buy
  return {
    block: facts.block.get(tx) + firstBlock,
    transaction_hash: sim.chain.transactionHash(tx),
    matched_at: facts.at.get(tx),
    role: facts.taker.get(fill) === exchangeAsTaker ? "taker" : "maker",
    token_id: id,
    condition_id: market.conditionId,
    side: buys ? "buy" : "sell",
    shares: facts.shares.get(fill),
    usd: facts.usd.get(fill),
    fee: facts.fee.get(fill),
    // The first exchange took its fee from what the taker received.
    fee_in: buys && facts.at.get(tx) < world.cutOver ? "shares" : "usd",
    builder: builders[facts.builder.get(fill) - 1]?.code ?? null,
  }
}

/** The filled orders of a wallet in visible blocks, newest first. */
export const walletFills = (sim: Simulation, wallet: Wallet, query: Query) => {
  const { facts } = sim.model.world
  const { limit, offset } = pageOf(query, 1_000, 10_000)
  const { fromBlock, toBlock, first, end } = blockRange(sim, query)
  const rows: Array<ReturnType<typeof fillJson>> = []
  let total = 0
  for (const fill of facts.fillsByMaker.of(wallet.index)) {
    const tx = facts.txOf(fill)
    if (tx >= end) continue
    if (tx < first) break
    if (total >= offset && rows.length < limit) rows.push(fillJson(sim, fill, tx))
    total += 1
  }
  return { address: wallet.address, from_block: fromBlock, to_block: toBlock, total, limit, offset, fills: rows }
}

interface Sums {
  readonly positions: number
  readonly open_positions: number
  readonly shares: Micro
  readonly cost: Micro
  readonly realized: Micro
}

/** Holdings, costs and earnings of wallets from the books; amounts are whole numbers of 10⁻⁶. */
export const walletRoutes = (sim: Simulation): Routes => {
  const { world, wallets } = sim.model
  const { books, tokens } = world.venue
  const byAddress = new Map(wallets.map((wallet) => [wallet.address, wallet]))
  const totals = new WalletTotals(world, wallets.length)
  const realized = new RealizedEvents(world)
  const walletWith = (address: string) => orNotFound(byAddress.get(address.toLowerCase()), "wallet")

  const positionJson = (position: number, withEvents: boolean) => ({
    token_id: (tokens[books.tokenOf.get(position)] as Token).id,
    shares: books.shares.get(position),
    cost: books.cost.get(position),
    realized: books.realized.get(position),
    bought: books.bought.get(position),
    sold: books.sold.get(position),
    ...(withEvents ? { events: realized.of(position) } : {}),
  })
  const positionsOf = ({ index }: Wallet, query: Query) => {
    const withEvents = query.flag("events") ?? false
    return Array.from(books.positionsOf(index), (position) => positionJson(position, withEvents))
  }

  const sumsOf = (wallet: number): Sums => {
    const sums = { positions: 0, open_positions: 0, shares: 0, cost: 0, realized: 0 }
    for (const position of books.positionsOf(wallet)) {
      const shares = books.shares.get(position)
      sums.positions += 1
      if (shares > 0) sums.open_positions += 1
      sums.shares += shares
      sums.cost += books.cost.get(position)
      sums.realized += books.realized.get(position)
    }
    return sums
  }

  const summary = ({ address, index }: Wallet) => {
    const { positions, open_positions, ...sums } = sumsOf(index)
    return {
      address,
      cash: books.cash.get(index),
      fees_paid: books.feesPaid.get(index),
      rebates: books.rebates.get(index),
      rewards: books.rewards.get(index),
      ...sums,
      position_count: positions,
      open_positions,
      ...totals.of(index),
    }
  }

  return {
    "GET /truth/wallets": ({ query }) => {
      const withPositions = query.flag("positions") ?? false
      // In a large world the first wallets have tens of thousands of positions each.
      const { limit, offset } = withPositions ? pageOf(query, 250, 250) : pageOf(query, 1_000, 10_000)
      const rows = wallets
        .slice(offset, offset + limit)
        .map((wallet) => ({ ...summary(wallet), ...(withPositions ? { positions: positionsOf(wallet, query) } : {}) }))
      return { ...chainStatus(sim), total: wallets.length, limit, offset, wallets: rows }
    },
    "GET /truth/wallets/*": ({ key, query }) => {
      const wallet = walletWith(key)
      return { ...chainStatus(sim), ...summary(wallet), positions: positionsOf(wallet, query) }
    },
    "GET /truth/wallets/*/fills": ({ key, query }) => walletFills(sim, walletWith(key), query),
  }
}
