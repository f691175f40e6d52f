import type { Query } from "../../gamma/Query.ts"
import type { Simulation } from "../../Simulation.ts"
import type { Micro, Wallet } from "../../world/model.ts"
import type { Token } from "../../world/Venue.ts"
import { known, pageOf, type Routes } from "../request.ts"
import { standing } from "../state.ts"
import { Realized } from "./Realized.ts"
import { WalletTotals } from "./WalletTotals.ts"
import { walletFills } from "./walletFills.ts"

interface Sums {
  readonly positions: number
  readonly open_positions: number
  readonly shares: Micro
  readonly cost: Micro
  readonly realized: Micro
}

/** What wallets own, paid and earned, from the books; amounts are whole numbers of 10⁻⁶. */
export const walletRoutes = (sim: Simulation): Routes => {
  const { world, wallets } = sim.made
  const { books, tokens } = world.venue
  const byAddress = new Map(wallets.map((wallet) => [wallet.address, wallet]))
  const totals = new WalletTotals(world, wallets.length)
  const realized = new Realized(world)
  const walletWith = (address: string) => known(byAddress.get(address.toLowerCase()), "wallet")

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
      return { ...standing(sim), total: wallets.length, limit, offset, wallets: rows }
    },
    "GET /truth/wallets/*": ({ key, query }) => {
      const wallet = walletWith(key)
      return { ...standing(sim), ...summary(wallet), positions: positionsOf(wallet, query) }
    },
    "GET /truth/wallets/*/fills": ({ key, query }) => walletFills(sim, walletWith(key), query),
  }
}
