import type { Fact } from "#src/domain/Fact.ts"
import type { NewEvent } from "#src/mesh/EventLog.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"

/** What is told of a block that has just come. */
export interface BlockTold {
  readonly hash: string
  readonly parent: string
  /** In milliseconds. */
  readonly at: number
  /** Null where the node does not say how many there are. */
  readonly transactions: number | null
  /** Those that concern the venue. */
  readonly venueTransactions: number
  /** Those that settle a match. */
  readonly settlements: number
  /** Dollars, in 10⁻⁶; every trade once. */
  readonly volume: number
}

export const blockTold = (
  header: BlockHeader,
  logs: ReadonlyArray<ChainLog>,
  facts: ReadonlyArray<Fact>,
): BlockTold => {
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

export const blockEvent = (number: number, data: BlockTold): NewEvent => ({ kind: "block", ref: BigInt(number), data })
