import { feeReceiver } from "../../chain/logs/match.ts"
import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { Side } from "../../world/Facts.ts"
import type { Token } from "../../world/Venue.ts"
import { pageOf, type Routes } from "../request.ts"
import { type BlockRange, blockRange } from "./blockRange.ts"

/** A fee as the venue's books have it; amounts are whole numbers of 10⁻⁶. */
export interface ChargedFee {
  readonly block: number
  readonly transaction_hash: string
  readonly order_hash: string
  readonly receiver: string
  readonly token_id: string
  readonly fee_in: "shares" | "usd"
  readonly amount: number
  /** At the price of the order it was charged to, half up. */
  readonly usd: number
}

const atPrice = (amount: number, usd: number, shares: number) =>
  Number((2n * BigInt(amount) * BigInt(usd) + BigInt(shares)) / (2n * BigInt(shares)))

/** What was charged in some transactions, in the order of the chain. */
export const chargedFees = (sim: Simulation, { first, end }: Pick<BlockRange, "first" | "end">) => {
  const { facts, venue } = sim.made.world
  const fees: Array<ChargedFee> = []
  for (let act = first; act < end; act++) {
    const from = facts.firstFill.get(act)
    for (let fill = from; fill < from + facts.fillCount.get(act); fill++) {
      const amount = facts.fee.get(fill)
      if (amount === 0) continue
      const { generation, feeModule } = sim.logs.exchangeOf(act)
      // Buyers at the first exchange paid from the shares that they got.
      const inShares = generation === 1 && facts.side.get(fill) === Side.buy
      fees.push({
        block: facts.block.get(act) + firstBlock,
        transaction_hash: sim.chain.transactionHash(act),
        order_hash: sim.logs.orderHash(fill),
        receiver: generation === 1 ? feeModule : feeReceiver,
        token_id: (venue.tokens[facts.fillToken.get(fill)] as Token).id,
        fee_in: inShares ? "shares" : "usd",
        amount,
        usd: inShares ? atPrice(amount, facts.usd.get(fill), facts.shares.get(fill)) : amount,
      })
    }
  }
  return fees
}

/** Who was paid which fees in a range of shown blocks. */
export const feeRoutes = (sim: Simulation): Routes => ({
  "GET /truth/fees": ({ query }) => {
    const { limit, offset } = pageOf(query, 1_000, 10_000)
    const range = blockRange(sim, query)
    const fees = chargedFees(sim, range)
    const { fromBlock: from_block, toBlock: to_block } = range
    return { from_block, to_block, total: fees.length, limit, offset, fees: fees.slice(offset, offset + limit) }
  },
})
