import { baseFeeOf, bloomOf, derived, gasLimit, gasOf, quantity, tip } from "./format.ts"
import type { NodeView } from "./params.ts"
import { blockPosition, partiesOf, transactionOf, visibleBlockOf } from "./transactions.ts"

const noUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const zeroHash = `0x${"0".repeat(64)}`
const zeroAddress = `0x${"0".repeat(40)}`

/** The transactions of a block, in order. */
const txsIn = (node: NodeView, block: number): ReadonlyArray<number> => {
  const [first, end] = node.chain.txRange(block)
  return Array.from({ length: end - first }, (_, i) => first + i)
}

/** A block header, as sent to `newHeads` subscribers. */
export const headerOf = (node: NodeView, block: number) => {
  const { world } = node.model
  const txs = txsIn(node, block)
  const hash = node.chain.hashOf(block)
  const root = (name: string) => (txs.length === 0 ? emptyRoot : `0x${derived(32, hash, name)}`)
  return {
    number: quantity(block),
    hash,
    parentHash: node.chain.hashOf(block - 1),
    timestamp: quantity(world.clock.timestampOf(block)),
    nonce: "0x0000000000000000",
    difficulty: "0x1",
    gasLimit: quantity(gasLimit),
    gasUsed: quantity(txs.reduce((sum, tx) => sum + gasOf(world.facts, tx), 0)),
    // The producer signs in extraData; this field is always zero on this chain.
    miner: zeroAddress,
    extraData: `0x${derived(96, hash, "extraData")}`,
    logsBloom: bloomOf(txs.some((tx) => node.logs.logsOf(tx).length > 0)),
    transactionsRoot: root("transactionsRoot"),
    stateRoot: `0x${derived(32, hash, "stateRoot")}`,
    receiptsRoot: root("receiptsRoot"),
    sha3Uncles: noUncles,
    baseFeePerGas: quantity(baseFeeOf(block)),
    mixHash: zeroHash,
  }
}

export const blockOf = (node: NodeView, block: number, full: boolean) => {
  const txs = txsIn(node, block)
  return {
    ...headerOf(node, block),
    totalDifficulty: quantity(block),
    size: quantity(760 + txs.length * 1_900),
    uncles: [],
    transactions: full ? txs.map((tx) => transactionOf(node, tx)) : txs.map((tx) => node.chain.transactionHash(tx)),
  }
}

const noLogs = "[]"

/** The receipts of a block's transactions, each as JSON. */
export const receiptsOf = (node: NodeView, block: number): ReadonlyArray<string> => {
  const logs = node.chain.logsJsonByTransaction(block)
  let cumulative = 0
  return txsIn(node, block).map((tx, i) => {
    const gasUsed = gasOf(node.model.world.facts, tx)
    cumulative += gasUsed
    const receipt = JSON.stringify({
      transactionHash: node.chain.transactionHash(tx),
      ...blockPosition(node, tx, block),
      ...partiesOf(node, tx),
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

/** The receipt of a transaction as JSON, once it is in a visible block. */
export const receiptOf = (node: NodeView, tx: number): string | undefined => {
  const block = visibleBlockOf(node, tx)
  return block === undefined ? undefined : receiptsOf(node, block)[tx - node.chain.txRange(block)[0]]
}
