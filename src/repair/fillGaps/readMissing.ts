import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact, TokenPair } from "#src/domain/Fact.ts"
import { finalizedBatch } from "#src/ledger/batches.ts"
import { readHistory } from "#src/ledger/history.ts"
import type { IdLookup } from "#src/ledger/idLookup.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import type { BlockRecord } from "#src/ledger/model.ts"
import { missingPairs } from "#src/ledger/tokenPairs.ts"
import { type TransactionsByBlock, transactionsByBlock } from "#src/ledger/transactionsByBlock.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { rpcUrl } from "#src/upstream/settings.ts"
import type { OnProgress } from "../rebuild.ts"
import { FillGapsRefused, HistoryUnreadable } from "./checkRange.ts"
import { missingFacts } from "./missing.ts"

/** What the ledger lacks of some blocks. */
export interface MissingPart {
  readonly facts: ReadonlyArray<Fact>
  readonly pairs: ReadonlyArray<TokenPair>
  /** Blocks that are missing or lack facts, and all their transactions. */
  readonly blocks: ReadonlyArray<BlockRecord>
  readonly transactions: TransactionsByBlock
  readonly ids: IdLookup
}

export interface ReadOptions extends BlockRange {
  /** Limit of the facts in memory: they are written in one transaction. */
  readonly maxFacts: number
  readonly eventsSince: number
  readonly onRead: OnProgress
}

/** Numbers of the stored blocks. Fails if a stored block has another hash: the node is on another chain. */
const storedBlocks = Effect.fnUntraced(function* (sql: SqlClient, blocks: ReadonlyArray<BlockRecord>) {
  const rows = yield* sql<{ number: number; hash: Uint8Array }>`
    select number, hash from block where number = any(${pgArray("int4", blocks, ({ number }) => number)})`
  const stored = new Map(rows.map(({ number, hash }) => [number, Buffer.from(hash).toString("hex")]))
  const other = blocks.find(({ number, hash }) => (stored.get(number) ?? hash) !== hash)
  if (other !== undefined) {
    return yield* new HistoryUnreadable({
      reason: `the node has another block ${other.number} than the ledger: either ${rpcUrl.env} is a node of another chain, or the ledger's block was replaced`,
    })
  }
  return stored
})

/** Reads blocks again and finds what the ledger lacks. Writes nothing but ids of new names. */
export const readMissing = Effect.fnUntraced(
  function* ({ from, to, maxFacts, eventsSince, onRead }: ReadOptions) {
    const { sql } = yield* Postgres
    const node = yield* ChainNode
    const ledger = yield* Ledger
    const history = yield* readHistory
    const earliest = (yield* node.earliest)?.number ?? 0
    if (from < earliest) {
      return yield* new FillGapsRefused({
        reason: `the node has no blocks before ${earliest}: --from must be at least that`,
      })
    }
    const parts: Array<MissingPart> = []
    let [next, count] = [from, 0]
    yield* Stream.runForEach(history({ from, to }), (decoded) =>
      Effect.gen(function* () {
        const stored = yield* storedBlocks(sql, decoded.blocks)
        const batch = finalizedBatch({ first: next, head: to, decoded, eventsSince })
        const { ids } = yield* ledger.prepare(batch)
        const facts = yield* missingFacts(sql, batch.facts, ids)
        const pairs = yield* missingPairs(sql, batch.pairs, ids)
        const incomplete = new Set(facts.map(({ block }) => block))
        const blocks = decoded.blocks.filter(
          ({ number, logs }) => incomplete.has(number) || (logs > 0 && !stored.has(number)),
        )
        if (facts.length + pairs.length + blocks.length > 0) {
          const written = new Set(blocks.map(({ number }) => number))
          const transactions = transactionsByBlock(batch.facts.filter(({ block }) => written.has(block)))
          parts.push({ facts, pairs, blocks, transactions, ids })
        }
        count += facts.length
        next = decoded.last.number + 1
        if (count > maxFacts) {
          const fewer = Math.max(1, Math.floor((next - from) / 2))
          return yield* new FillGapsRefused({
            reason: `more than ${maxFacts} facts are missing in these blocks, too many for one transaction: use a smaller range, for example --from ${to - fewer + 1} --to ${to}`,
          })
        }
        yield* onRead({ first: from, last: to, block: decoded.last.number })
      }),
    )
    return parts
  },
  Effect.catchTag(["UpstreamFailure", "RpcRefusal", "RangeTooLarge", "ReaderDied"], (failure) =>
    Effect.fail(new HistoryUnreadable({ reason: failure.message })),
  ),
)
