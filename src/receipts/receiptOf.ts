import type { Hex } from "viem"
import type { Fact } from "#src/domain/Fact.ts"
import { factKinds } from "#src/ledger/factRows.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import { isKnown } from "#src/upstream/chain/machinery.ts"
import type { UndecodableLog, VenueLog } from "#src/upstream/chain/readLogs.ts"
import { logRoot } from "./logRoot.ts"
import type { FactCounts } from "./StoredFacts.ts"

export interface UnexplainedLog {
  readonly address: string
  readonly topic: string
  readonly logIndex: number
}

/** What became of the logs of a block. */
export interface BlockReceipt {
  readonly block: number
  readonly hash: string
  /** In milliseconds. */
  readonly at: number
  /** Logs of the venue's contracts. */
  readonly logs: number
  /** Facts that follow from the logs, and those that the ledger has. */
  readonly facts: FactCounts
  readonly stored: FactCounts
  /** Logs without a fact of their own: facts of other logs cover them, or they change nothing. */
  readonly covered: number
  readonly unexplained: ReadonlyArray<UnexplainedLog>
  readonly logRoot: Hex
  readonly isComplete: boolean
  /** Whether the block cannot be replaced any more; undefined if the node does not say. */
  readonly isFinalized: boolean | undefined
}

export const addCounts = (all: ReadonlyArray<FactCounts>): FactCounts =>
  Object.fromEntries(
    factKinds.flatMap((kind) => {
      const sum = all.reduce((total, counts) => total + (counts[kind] ?? 0), 0)
      return sum === 0 ? [] : [[kind, sum]]
    }),
  )

const countsOf = (facts: ReadonlyArray<Fact>): FactCounts => addCounts(facts.map(({ kind }) => ({ [kind]: 1 })))

const areEqual = (one: FactCounts, other: FactCounts) =>
  factKinds.every((kind) => (one[kind] ?? 0) === (other[kind] ?? 0))

/** The receipt of one block, from its logs and facts. */
export const receiptOf = (options: {
  readonly header: BlockHeader
  readonly logs: ReadonlyArray<VenueLog>
  readonly undecodable: ReadonlyArray<UndecodableLog>
  readonly facts: ReadonlyArray<Fact>
  readonly stored: FactCounts
  /** The newest final block, if the node says so. */
  readonly finalized: number | undefined
}): BlockReceipt => {
  const { header, logs, undecodable, stored, finalized } = options
  const failed = new Set(undecodable.map(({ logIndex }) => logIndex))
  const unexplained = logs.filter((log) => failed.has(log.logIndex) || !isKnown(log))
  const own = new Set(options.facts.map(({ logIndex }) => logIndex))
  const explaining = logs.filter(({ logIndex }) => own.has(logIndex)).length
  const facts = countsOf(options.facts)
  return {
    block: header.number,
    hash: header.hash,
    at: header.at,
    logs: logs.length,
    facts,
    stored,
    covered: logs.length - unexplained.length - explaining,
    unexplained: unexplained.map(({ address, topics, logIndex }) => ({ address, topic: topics[0] ?? "", logIndex })),
    logRoot: logRoot(logs),
    isComplete: unexplained.length === 0 && areEqual(facts, stored),
    isFinalized: finalized === undefined ? undefined : header.number <= finalized,
  }
}
