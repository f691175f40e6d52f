import { actsIn } from "./blocks.ts"
import { bloomOf, quantity } from "./format.ts"
import { baseFeeOf, gasOf, tip } from "./gas.ts"
import type { Sight } from "./Sight.ts"
import { blockShowing, partiesOf, placeOf } from "./transactions.ts"

const noLogs = "[]"

/** The receipts of a block's transactions as JSON texts, in order. */
export const receiptsOf = (sim: Sight, block: number): ReadonlyArray<string> => {
  const logs = sim.chain.logsJsonByTransaction(block)
  let cumulative = 0
  return actsIn(sim, block).map((act, i) => {
    const gasUsed = gasOf(sim.made.world.facts, act)
    cumulative += gasUsed
    const receipt = JSON.stringify({
      transactionHash: sim.chain.transactionHash(act),
      ...placeOf(sim, act, block),
      ...partiesOf(sim, act),
      contractAddress: null,
      status: "0x1",
      type: "0x2",
      gasUsed: quantity(gasUsed),
      cumulativeGasUsed: quantity(cumulative),
      effectiveGasPrice: quantity(baseFeeOf(block) + tip),
      logsBloom: bloomOf(logs[i] !== noLogs),
    })
    return `${receipt.slice(0, -1)},"logs":${logs[i]}}`
  })
}

/** The receipt of one transaction as JSON text, once a block shows it. */
export const receiptOf = (sim: Sight, act: number): string | undefined => {
  const block = blockShowing(sim, act)
  return block === undefined ? undefined : receiptsOf(sim, block)[act - sim.chain.actsOf(block)[0]]
}
