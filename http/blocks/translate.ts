import type { BlocksNotStored } from "#src/receipts/BlockReceipts.ts"
import { merkleRoot } from "#src/receipts/logRoot.ts"
import { addCounts, type BlockReceipt } from "#src/receipts/receiptOf.ts"
import { watchedContracts } from "#src/upstream/chain/logFilters.ts"
import { Conflict, NotFound } from "../server/errors.ts"

export const receiptJson = (receipt: BlockReceipt) => ({
  block: receipt.block,
  hash: `0x${receipt.hash}`,
  timestamp: Math.floor(receipt.at / 1000),
  finalized: receipt.isFinalized ?? null,
  logs: receipt.logs,
  facts: receipt.facts,
  stored: receipt.stored,
  covered: receipt.covered,
  unexplained: receipt.unexplained.map(({ address, topic, logIndex }) => ({
    block: receipt.block,
    address,
    topic,
    log_index: logIndex,
  })),
  complete: receipt.isComplete,
  log_root: receipt.logRoot,
})

type ReceiptJson = ReturnType<typeof receiptJson>

const sumOf = (blocks: ReadonlyArray<ReceiptJson>, count: (block: ReceiptJson) => number) =>
  blocks.reduce((sum, block) => sum + count(block), 0)

export const rangeJson = (from: number, to: number, blocks: ReadonlyArray<ReceiptJson>) => ({
  from,
  to,
  logs: sumOf(blocks, ({ logs }) => logs),
  facts: addCounts(blocks.map(({ facts }) => facts)),
  stored: addCounts(blocks.map(({ stored }) => stored)),
  covered: sumOf(blocks, ({ covered }) => covered),
  unexplained: blocks.flatMap(({ unexplained }) => unexplained),
  complete: blocks.every(({ complete }) => complete),
  log_root: merkleRoot(blocks.map(({ log_root: root }) => root)),
  contracts: watchedContracts,
  blocks,
})

export const notStored = ({ first, last }: BlocksNotStored) =>
  new NotFound({
    error: first === undefined ? "The ledger has no blocks yet." : `The ledger has blocks ${first} to ${last}.`,
    hint: "`/v1/status` shows the newest block.",
  })

export const replaced = new Conflict({
  error: "The node does not have all of these blocks, or replaced one of them just now.",
  hint: "Try again.",
})
