import type { Query } from "../../gamma/Query.ts"
import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { exchange, Side } from "../../world/Facts.ts"
import type { Wallet } from "../../world/model.ts"
import type { Token } from "../../world/Venue.ts"
import { pageOf } from "../request.ts"
import { blockRange } from "./blockRange.ts"

const fillJson = (sim: Simulation, fill: number, act: number) => {
  const { world, builders } = sim.made
  const { facts, venue } = world
  const { id, market } = venue.tokens[facts.fillToken.get(fill)] as Token
  const buys = facts.side.get(fill) === Side.buy
  return {
    block: facts.block.get(act) + firstBlock,
    transaction_hash: sim.chain.transactionHash(act),
    matched_at: facts.at.get(act),
    role: facts.taker.get(fill) === exchange ? "taker" : "maker",
    token_id: id,
    condition_id: market.conditionId,
    side: buys ? "buy" : "sell",
    shares: facts.shares.get(fill),
    usd: facts.usd.get(fill),
    fee: facts.fee.get(fill),
    // The first exchange took its fee from what the taker received.
    fee_in: buys && facts.at.get(act) < world.cutOver ? "shares" : "usd",
    builder: builders[facts.builder.get(fill) - 1]?.code ?? null,
  }
}

/** The filled orders of a wallet in the shown blocks, newest first. */
export const walletFills = (sim: Simulation, wallet: Wallet, query: Query) => {
  const { facts } = sim.made.world
  const { limit, offset } = pageOf(query, 1_000, 10_000)
  const { fromBlock, toBlock, first, end } = blockRange(sim, query)
  const rows: Array<ReturnType<typeof fillJson>> = []
  let total = 0
  for (const fill of facts.fillsByMaker.of(wallet.index)) {
    const act = facts.actOf(fill)
    if (act >= end) continue
    if (act < first) break
    if (total >= offset && rows.length < limit) rows.push(fillJson(sim, fill, act))
    total += 1
  }
  return { address: wallet.address, from_block: fromBlock, to_block: toBlock, total, limit, offset, fills: rows }
}
