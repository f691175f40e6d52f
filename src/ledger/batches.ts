import { Array as Arr } from "effect"
import type { Fact, TokenPair } from "#src/domain/Fact.ts"
import type { NewEvent } from "#src/mesh/EventLog.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import { blockEvent, blockTold } from "./blockEvents.ts"
import { eventOf } from "./factEvents.ts"
import { interpret } from "./interpret.ts"
import type { Batch, KnownBlock } from "./LedgerStore.ts"

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
    for (const fact of read.facts) facts.push(fact)
    for (const pair of read.pairs) pairs.push(pair)
    start = end
  }
  return { facts, pairs }
}

/** Consecutive blocks that can no longer be replaced, and what happened in them. */
export interface Stretch extends Meaning {
  readonly known: ReadonlyArray<KnownBlock>
  readonly last: BlockHeader
}

export const stretchOf = (logs: ReadonlyArray<ChainLog>, last: BlockHeader): Stretch => {
  const { number, hash, parentHash: parent, at } = last
  const known: Array<KnownBlock> = []
  let ofLast = 0
  for (let start = 0; start < logs.length; ) {
    const { block, blockHash, at } = logs[start] as ChainLog
    let end = start + 1
    while (logs[end]?.block === block) end += 1
    if (block === number) ofLast = end - start
    else known.push({ number: block, hash: blockHash, parent: undefined, at, logs: end - start })
    start = end
  }
  known.push({ number, hash, parent, at, logs: ofLast })
  return { ...meaningOf(logs), known, last }
}

/** Two that follow on each other. */
export const joined = (earlier: Stretch, later: Stretch): Stretch => ({
  facts: earlier.facts.concat(later.facts),
  pairs: earlier.pairs.concat(later.pairs),
  known: earlier.known.concat(later.known),
  last: later.last,
})

export const settledBatch = (options: {
  readonly first: number
  readonly head: number
  readonly stretch: Stretch
  readonly eventsSince: number
}): Batch => {
  const { first, head, stretch, eventsSince } = options
  return { first, head, ...stretch, isUndoable: false, eventsSince, told: new Map() }
}

/** Consecutive blocks that may still be replaced. */
export const freshBatch = (options: {
  readonly headers: Arr.NonEmptyReadonlyArray<BlockHeader>
  readonly head: number
  readonly logs: ReadonlyArray<ChainLog>
  readonly eventsSince: number
}): Batch => {
  const { headers, head, logs, eventsSince } = options
  const meaning = meaningOf(logs)
  const logsOf = Map.groupBy(logs, ({ block }) => block)
  const factsOf = Map.groupBy(meaning.facts, ({ block }) => block)
  return {
    first: Arr.headNonEmpty(headers).number,
    last: Arr.lastNonEmpty(headers),
    head,
    known: headers.map(({ number, hash, parentHash: parent, at }) => {
      return { number, hash, parent, at, logs: logsOf.get(number)?.length ?? 0 }
    }),
    ...meaning,
    isUndoable: true,
    eventsSince,
    told: new Map(
      headers.map((header) => {
        const { number } = header
        return [number, blockTold(header, logsOf.get(number) ?? [], factsOf.get(number) ?? [])]
      }),
    ),
  }
}

/** What is told of a batch: of each block its facts, and then of the block itself. */
export const eventsOf = ({ facts, told, eventsSince }: Batch): ReadonlyArray<NewEvent> => {
  const events: Array<NewEvent> = []
  let next = 0
  const tellFactsUpTo = (block: number) => {
    for (let fact = facts[next]; fact !== undefined && fact.block <= block; fact = facts[++next]) {
      if (fact.at >= eventsSince) events.push(eventOf(fact))
    }
  }
  for (const [number, block] of told) {
    tellFactsUpTo(number)
    if (block.at >= eventsSince) events.push(blockEvent(number, block))
  }
  tellFactsUpTo(Number.POSITIVE_INFINITY)
  return events
}
