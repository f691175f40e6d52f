import type { Query } from "../../gamma/Query.ts"
import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"

/** Blocks of which the truth is asked, as far as the chain shows them, with the transactions in them. */
export interface BlockRange {
  readonly fromBlock: number
  readonly toBlock: number
  /** The acts in [first, end). */
  readonly first: number
  readonly end: number
}

export const blockRange = (sim: Simulation, query: Query): BlockRange => {
  const { block } = sim.made.world.facts
  const fromBlock = Math.max(query.whole("from_block") ?? firstBlock, firstBlock)
  const toBlock = Math.min(query.whole("to_block") ?? sim.head, sim.head)
  const first = block.lowerBound(fromBlock - firstBlock)
  return { fromBlock, toBlock, first, end: Math.max(first, block.lowerBound(toBlock - firstBlock + 1)) }
}
