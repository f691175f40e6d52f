import type { Fact, TokenPair } from "#src/domain/Fact.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import type { ApprovalLog } from "#src/upstream/chain/readLogs.ts"
import type { IdLookup } from "./idLookup.ts"
import type { Opening } from "./positions/OpeningStore.ts"
import type { PositionKeys } from "./positions/PositionStore.ts"

export interface Cursor {
  /** The last block whose facts are in the ledger. */
  readonly block: number
  readonly hash: string
  readonly startedFrom: number
  /** Whether the ledger has ever reached the newest block. */
  readonly hasCaughtUp: boolean
}

/** A block to store. Finalized blocks have no parent: those with one can be undone. */
export interface BlockRecord {
  readonly number: number
  readonly hash: string
  readonly parent: string | undefined
  readonly at: number
  readonly logs: number
}

/** Content of a block's event. */
export interface BlockSummary {
  readonly hash: string
  readonly parent: string
  /** In milliseconds. */
  readonly at: number
  /** Null if the node does not report the count. */
  readonly transactions: number | null
  /** Transactions that concern the venue. */
  readonly venueTransactions: number
  /** Transactions that settle a match. */
  readonly settlements: number
  /** Dollars, in 10⁻⁶; counts every trade once. */
  readonly volume: number
}

export interface DecodedFacts {
  readonly facts: ReadonlyArray<Fact>
  readonly pairs: ReadonlyArray<TokenPair>
}

/** Consecutive finalized blocks and their facts. */
export interface DecodedRange extends DecodedFacts {
  readonly blocks: ReadonlyArray<BlockRecord>
  readonly last: BlockHeader
}

/** Consecutive blocks, up to and including `last`. */
export interface Batch extends DecodedFacts {
  readonly first: number
  readonly last: { readonly number: number; readonly hash: string }
  /** The newest block of the chain. */
  readonly head: number
  readonly blocks: ReadonlyArray<BlockRecord>
  /** Whether the blocks may still be replaced. */
  readonly isUndoable: boolean
  /** Facts before this time make no events: they are older than the event log's retention. */
  readonly eventsSince: number
  /** Empty during a backfill. */
  readonly approvals: ReadonlyArray<ApprovalLog>
  /** By block number; empty during a backfill. */
  readonly blockSummaries: ReadonlyMap<number, BlockSummary>
}

/** A batch whose names all have ids. */
export interface PreparedBatch {
  readonly batch: Batch
  readonly ids: IdLookup
  readonly touched: PositionKeys
  /** What wallets held before the ledger's first block, as far as the batch is the first to touch it. */
  readonly openings: ReadonlyArray<Opening>
}
