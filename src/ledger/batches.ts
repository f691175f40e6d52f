import type { BlockHeader } from "#src/upstream/chain/header.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import { interpret } from "./interpret.ts"
import type { Batch, KnownBlock } from "./LedgerStore.ts"
import type { Fact, TokenPair } from "./model.ts"

type Meaning = Pick<Batch, "facts" | "pairs">

/** What consecutive logs mean, one transaction after the other. */
export const meaningOf = (logs: ReadonlyArray<ChainLog>): Meaning => {
  const facts: Array<Fact> = []
  const pairs: Array<TokenPair> = []
  for (let start = 0; start < logs.length; ) {
    const tx = logs[start]?.tx
    let end = start + 1
    while (logs[end]?.tx === tx) end += 1
    const read = interpret(logs.slice(start, end))
    facts.push(...read.facts)
    pairs.push(...read.pairs)
    start = end
  }
  return { facts, pairs }
}

/** Blocks that can no longer be replaced, as one batch. */
export const settledBatch = (options: {
  readonly first: number
  readonly last: BlockHeader
  readonly head: number
  readonly logs: ReadonlyArray<ChainLog>
  readonly eventsSince: number
}): Batch => {
  const known = new Map<number, KnownBlock>()
  for (const { block, blockHash, at } of options.logs) {
    const logs = (known.get(block)?.logs ?? 0) + 1
    known.set(block, { number: block, hash: blockHash, parent: undefined, at, logs })
  }
  const { first, last, head, eventsSince } = options
  const counted = known.get(last.number)?.logs ?? 0
  known.set(last.number, { number: last.number, hash: last.hash, parent: last.parentHash, at: last.at, logs: counted })
  return { first, last, head, known: [...known.values()], ...meaningOf(options.logs), isUndoable: false, eventsSince }
}

/** One block that may still be replaced. */
export const freshBatch = (options: {
  readonly header: BlockHeader
  readonly head: number
  readonly logs: ReadonlyArray<ChainLog>
  readonly eventsSince: number
}): Batch => {
  const { header, head, logs, eventsSince } = options
  const { number, hash, parentHash, at } = header
  return {
    first: number,
    last: header,
    head,
    known: [{ number, hash, parent: parentHash, at, logs: logs.length }],
    ...meaningOf(logs),
    isUndoable: true,
    eventsSince,
  }
}
