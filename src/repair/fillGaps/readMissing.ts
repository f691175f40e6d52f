import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact, TokenPair } from "#src/domain/Fact.ts"
import { settledBatch } from "#src/ledger/batches.ts"
import { type Range, readHistory } from "#src/ledger/history.ts"
import { type KnownBlock, LedgerStore } from "#src/ledger/LedgerStore.ts"
import type { Numbers } from "#src/ledger/numbered.ts"
import { unlearntPairs } from "#src/ledger/tokenPairs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { rpcUrl } from "#src/upstream/settings.ts"
import type { OnReached } from "../rebuild.ts"
import { FillInRefused, HistoryUnreadable } from "./failures.ts"
import { missingFrom } from "./missing.ts"

/** What some blocks have and the ledger has not. */
export interface MissingPart {
  readonly facts: ReadonlyArray<Fact>
  readonly pairs: ReadonlyArray<TokenPair>
  readonly blocks: ReadonlyArray<KnownBlock>
  readonly numbers: Numbers
}

export interface ReadOptions extends Range {
  /** They are kept in memory until all are known, so that they are written together or not at all. */
  readonly mostFacts: number
  readonly eventsSince: number
  readonly onRead: OnReached
}

/** Blocks that are not remembered, if the others are the same as ours: else the node tells of another chain. */
const unknownBlocks = Effect.fnUntraced(function* (sql: SqlClient, known: ReadonlyArray<KnownBlock>) {
  const rows = yield* sql<{ number: number; hash: Uint8Array }>`
    select number, hash from block where number = any(${pgArray(
      "int4",
      known.map(({ number }) => number),
    )})`
  const stored = new Map(rows.map(({ number, hash }) => [number, Buffer.from(hash).toString("hex")]))
  const other = known.find(({ number, hash }) => (stored.get(number) ?? hash) !== hash)
  if (other !== undefined) {
    return yield* new HistoryUnreadable({
      reason: `the node has another block ${other.number} than the ledger: either ${rpcUrl.env} is a node of another chain, or what the ledger has was replaced`,
    })
  }
  return known.filter(({ number, logs }) => logs > 0 && !stored.has(number))
})

/** Reads blocks of the chain again, and finds what the ledger lacks of them. Nothing is written but new numbers of names. */
export const readMissing = Effect.fnUntraced(
  function* ({ from, to, mostFacts, eventsSince, onRead }: ReadOptions) {
    const { sql } = yield* Postgres
    const node = yield* ChainNode
    const store = yield* LedgerStore
    const history = yield* readHistory
    const earliest = (yield* node.earliest).number
    if (from < earliest) {
      return yield* new FillInRefused({
        reason: `the node has no blocks before ${earliest}: --from can be no less`,
      })
    }
    const parts: Array<MissingPart> = []
    let [next, count] = [from, 0]
    yield* Stream.runForEach(history({ from, to }), (stretch) =>
      Effect.gen(function* () {
        const blocks = yield* unknownBlocks(sql, stretch.known)
        const batch = settledBatch({ first: next, head: to, stretch, eventsSince })
        const { numbers } = yield* store.prepare(batch)
        const facts = yield* missingFrom(sql, batch.facts, numbers)
        const pairs = yield* unlearntPairs(sql, batch.pairs, numbers)
        if (facts.length + pairs.length + blocks.length > 0) parts.push({ facts, pairs, blocks, numbers })
        count += facts.length
        next = stretch.last.number + 1
        if (count > mostFacts) {
          const fewer = Math.max(1, Math.floor((next - from) / 2))
          return yield* new FillInRefused({
            reason: `more than ${mostFacts} facts are missing in these blocks, too many to be written together: take fewer blocks at a time, such as --from ${to - fewer + 1} --to ${to}`,
          })
        }
        yield* onRead({ first: from, last: to, block: stretch.last.number })
      }),
    )
    return parts
  },
  Effect.catchTag(["UpstreamFailure", "RpcRefusal", "RangeTooLarge", "ReaderDied"], (failure) =>
    Effect.fail(new HistoryUnreadable({ reason: failure.message })),
  ),
)
