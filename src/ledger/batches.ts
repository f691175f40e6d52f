import type { Array as Arr } from "effect"
import type { Fact, TokenPair } from "#src/domain/Fact.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import type { ApprovalLog, ChainLog } from "#src/upstream/chain/readLogs.ts"
import { interpret } from "./interpret/interpret.ts"
import type { Batch, BlockRecord, BlockSummary, DecodedFacts, DecodedRange } from "./model.ts"

/** Decodes consecutive logs, one transaction after the other. */
export const decodeFacts = (logs: ReadonlyArray<ChainLog>): DecodedFacts => {
  const facts: Array<Fact> = []
  const pairs: Array<TokenPair> = []
  for (let start = 0; start < logs.length; ) {
    const tx = logs[start]?.tx
    let end = start + 1
    while (logs[end]?.tx === tx) end += 1
    const read = interpret(logs.slice(start, end))
    for (const fact of read.facts) facts.push(fact)
    for (const pair of read.pairs) pairs.push(pair)
    start = end
  }
  return { facts, pairs }
}

/** Finalized blocks, up to and including `last`. */
export const decodedRange = (logs: ReadonlyArray<ChainLog>, last: BlockHeader): DecodedRange => {
  const { number, hash, at } = last
  const blocks: Array<BlockRecord> = []
  let logsOfLast = 0
  for (let start = 0; start < logs.length; ) {
    const { block, blockHash, at } = logs[start] as ChainLog
    let end = start + 1
    while (logs[end]?.block === block) end += 1
    if (block === number) logsOfLast = end - start
    else blocks.push({ number: block, hash: blockHash, parent: undefined, at, logs: end - start })
    start = end
  }
  blocks.push({ number, hash, parent: undefined, at, logs: logsOfLast })
  return { ...decodeFacts(logs), blocks, last }
}

/** Joins two adjacent ranges. */
export const joinRanges = (earlier: DecodedRange, later: DecodedRange): DecodedRange => ({
  facts: earlier.facts.concat(later.facts),
  pairs: earlier.pairs.concat(later.pairs),
  blocks: earlier.blocks.concat(later.blocks),
  last: later.last,
})

export const finalizedBatch = (options: {
  readonly first: number
  readonly head: number
  readonly decoded: DecodedRange
  readonly eventsSince: number
}): Batch => {
  const { first, head, decoded, eventsSince } = options
  return { first, head, ...decoded, isUndoable: false, eventsSince, approvals: [], blockSummaries: new Map() }
}

const blockSummary = (header: BlockHeader, logs: ReadonlyArray<ChainLog>, facts: ReadonlyArray<Fact>): BlockSummary => {
  const fills = facts.filter((fact) => fact.kind === "fill")
  return {
    hash: header.hash,
    parent: header.parentHash,
    at: header.at,
    transactions: header.transactions ?? null,
    venueTransactions: new Set(logs.map(({ tx }) => tx)).size,
    settlements: new Set(fills.map(({ tx }) => tx)).size,
    volume: fills.reduce((sum, { taker, usd }) => (taker === undefined ? sum : sum + usd), 0),
  }
}

/** Consecutive blocks that may still be replaced. */
export const recentBatch = (options: {
  readonly headers: Arr.NonEmptyReadonlyArray<BlockHeader>
  readonly head: number
  readonly logs: ReadonlyArray<ChainLog>
  readonly approvals?: ReadonlyArray<ApprovalLog>
  readonly eventsSince: number
}): Batch => {
  const { headers, head, logs, approvals = [], eventsSince } = options
  const decoded = decodeFacts(logs)
  const logsOf = Map.groupBy(logs, ({ block }) => block)
  const factsOf = Map.groupBy(decoded.facts, ({ block }) => block)
  return {
    first: headers[0].number,
    last: headers.at(-1) ?? headers[0],
    head,
    blocks: headers.map(({ number, hash, parentHash: parent, at }) => {
      return { number, hash, parent, at, logs: logsOf.get(number)?.length ?? 0 }
    }),
    ...decoded,
    isUndoable: true,
    eventsSince,
    approvals,
    blockSummaries: new Map(
      headers.map((header) => {
        const { number } = header
        return [number, blockSummary(header, logsOf.get(number) ?? [], factsOf.get(number) ?? [])]
      }),
    ),
  }
}
