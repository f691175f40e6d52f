import { bloomOf, derived, quantity } from "./format.ts"
import { baseFeeOf, gasLimit, gasOf } from "./gas.ts"
import type { Sight } from "./Sight.ts"
import { transactionOf } from "./transactions.ts"

const noUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const zeroHash = `0x${"0".repeat(64)}`
const zeroAddress = `0x${"0".repeat(40)}`

/** The transactions of a block, in order. */
export const actsIn = (sim: Sight, block: number): ReadonlyArray<number> => {
  const [first, end] = sim.chain.actsOf(block)
  return Array.from({ length: end - first }, (_, i) => first + i)
}

/** What `newHeads` tells of a block. */
export const headerOf = (sim: Sight, block: number) => {
  const { world } = sim.made
  const acts = actsIn(sim, block)
  const hash = sim.chain.hashOf(block)
  const root = (name: string) => (acts.length === 0 ? emptyRoot : `0x${derived(32, hash, name)}`)
  return {
    number: quantity(block),
    hash,
    parentHash: sim.chain.hashOf(block - 1),
    timestamp: quantity(world.clock.timestampOf(block)),
    nonce: "0x0000000000000000",
    difficulty: "0x1",
    gasLimit: quantity(gasLimit),
    gasUsed: quantity(acts.reduce((sum, act) => sum + gasOf(world.facts, act), 0)),
    // The block's producer signs in extraData; the field for it stays empty on this chain.
    miner: zeroAddress,
    extraData: `0x${derived(96, hash, "extraData")}`,
    logsBloom: bloomOf(acts.some((act) => sim.logs.logsOf(act).length > 0)),
    transactionsRoot: root("transactionsRoot"),
    stateRoot: `0x${derived(32, hash, "stateRoot")}`,
    receiptsRoot: root("receiptsRoot"),
    sha3Uncles: noUncles,
    baseFeePerGas: quantity(baseFeeOf(block)),
    mixHash: zeroHash,
  }
}

export const blockOf = (sim: Sight, block: number, full: boolean) => {
  const acts = actsIn(sim, block)
  return {
    ...headerOf(sim, block),
    totalDifficulty: quantity(block),
    size: quantity(760 + acts.length * 1_900),
    uncles: [],
    transactions: full ? acts.map((act) => transactionOf(sim, act)) : acts.map((act) => sim.chain.transactionHash(act)),
  }
}
