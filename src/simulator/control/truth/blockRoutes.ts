import { address } from "../../chain/contracts.ts"
import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { exchangeAsTaker, Side, TxKind } from "../../world/Facts.ts"
import type { Token } from "../../world/Venue.ts"
import { type BlockRange, badRequest, blockRange, pageOf, type Routes } from "../request.ts"

/** A fee in the venue's books; amounts are whole numbers of 10⁻⁶. */
export interface ChargedFee {
  readonly block: number
  readonly transaction_hash: string
  readonly order_hash: string
  readonly receiver: string
  readonly token_id: string
  readonly fee_in: "shares" | "usd"
  readonly amount: number
  /** At the price of the charged order, rounded half up. */
  readonly usd: number
}

const atPrice = (amount: number, usd: number, shares: number) =>
  Number((2n * BigInt(amount) * BigInt(usd) + BigInt(shares)) / (2n * BigInt(shares)))

/** The fees charged in a range of transactions, in chain order. */
export const chargedFees = (sim: Simulation, { first, end }: Pick<BlockRange, "first" | "end">) => {
  const { facts, venue } = sim.model.world
  const fees: Array<ChargedFee> = []
  for (let tx = first; tx < end; tx++) {
    const from = facts.firstFill.get(tx)
    for (let fill = from; fill < from + facts.fillCount.get(tx); fill++) {
      const amount = facts.fee.get(fill)
      if (amount === 0) continue
      const { generation, feeModule } = sim.logs.exchangeOf(tx)
      // Buyers at the first exchange paid in shares.
      const inShares = generation === 1 && facts.side.get(fill) === Side.buy
      fees.push({
        block: facts.block.get(tx) + firstBlock,
        transaction_hash: sim.chain.transactionHash(tx),
        order_hash: sim.logs.orderHash(fill),
        receiver: generation === 1 ? feeModule : address.feeReceiver,
        token_id: (venue.tokens[facts.fillToken.get(fill)] as Token).id,
        fee_in: inShares ? "shares" : "usd",
        amount,
        usd: inShares ? atPrice(amount, facts.usd.get(fill), facts.shares.get(fill)) : amount,
      })
    }
  }
  return fees
}

/** Fees charged in a range of visible blocks. */
export const feeRoutes = (sim: Simulation): Routes => ({
  "GET /truth/fees": ({ query }) => {
    const { limit, offset } = pageOf(query, 1_000, 10_000)
    const range = blockRange(sim, query)
    const fees = chargedFees(sim, range)
    const { fromBlock: from_block, toBlock: to_block } = range
    return { from_block, to_block, total: fees.length, limit, offset, fees: fees.slice(offset, offset + limit) }
  },
})

/** Counting logs encodes them all, which is slow. */
const maxCountedForLogs = 100_000

const countKinds = (sim: Simulation, { first, end }: BlockRange) => {
  const { kind } = sim.model.world.facts
  const counts = new Map<number, number>(Object.values(TxKind).map((each) => [each, 0]))
  for (let tx = first; tx < end; tx++) counts.set(kind.get(tx), (counts.get(kind.get(tx)) ?? 0) + 1)
  return Object.fromEntries(Object.entries(TxKind).map(([name, number]) => [name, counts.get(number)]))
}

const countFills = (sim: Simulation, { first, end }: BlockRange) => {
  const { facts } = sim.model.world
  const firstFill = first < facts.length ? facts.firstFill.get(first) : facts.fills
  const endFill = end < facts.length ? facts.firstFill.get(end) : facts.fills
  const seen = new Uint8Array(sim.model.wallets.length)
  let volume = 0
  for (let fill = firstFill; fill < endFill; fill++) {
    seen[facts.maker.get(fill)] = 1
    if (facts.taker.get(fill) === exchangeAsTaker) volume += facts.usd.get(fill)
  }
  const traders = seen.reduce((sum, each) => sum + each, 0)
  for (let tx = first; tx < end; tx++) {
    const wallet = facts.wallet.get(tx)
    if (wallet >= 0) seen[wallet] = 1
    if (facts.kind.get(tx) === TxKind.transfer) seen[facts.extra.get(tx)] = 1
  }
  return { fills: endFill - firstFill, volume, traders, wallets: seen.reduce((sum, each) => sum + each, 0) }
}

const countLogs = (sim: Simulation, { first, end }: BlockRange) => {
  if (end - first > maxCountedForLogs)
    throw badRequest(`logs: counting is limited to ${maxCountedForLogs} transactions`)
  let logs = 0
  for (let tx = first; tx < end; tx++) logs += sim.logs.logsOf(tx).length
  return logs
}

/** Counts over a range of visible blocks. */
export const countRoutes = (sim: Simulation): Routes => ({
  "GET /truth/counts": ({ query }) => {
    const range = blockRange(sim, query)
    return {
      from_block: range.fromBlock,
      to_block: range.toBlock,
      transactions: range.end - range.first,
      by_kind: countKinds(sim, range),
      ...countFills(sim, range),
      ...(query.flag("logs") === true ? { logs: countLogs(sim, range) } : {}),
    }
  },
})
