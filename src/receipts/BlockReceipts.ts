import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { decodeFacts } from "#src/ledger/batches.ts"
import { readCursor, readHashes } from "#src/ledger/LedgerStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { RpcFailure } from "#src/upstream/chain/failures.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { type BlockReceipt, receiptOf } from "./receiptOf.ts"
import { countStored } from "./StoredFacts.ts"

/** The ledger does not have these blocks. */
export class BlocksNotStored extends Schema.TaggedError<BlocksNotStored>()("BlocksNotStored", {
  /** Undefined if the ledger is empty. */
  first: Schema.UndefinedOr(Schema.Number),
  last: Schema.UndefinedOr(Schema.Number),
}) {}

/** The node lacks a block that the ledger has, or has another one by now. */
export class BlocksNotOnNode extends Schema.TaggedError<BlocksNotOnNode>()("BlocksNotOnNode", {}) {}

/** Compares the logs of blocks, as the node has them now, with the facts in the ledger. */
export class BlockReceipts extends Context.Service<
  BlockReceipts,
  {
    readonly read: (
      range: BlockRange,
    ) => Effect.Effect<ReadonlyArray<BlockReceipt>, BlocksNotStored | BlocksNotOnNode | RpcFailure | SqlError>
  }
>()("presage/receipts/BlockReceipts") {
  static readonly layer = Layer.effect(
    BlockReceipts,
    Effect.gen(function* () {
      const node = yield* ChainNode
      const { exports: sql } = yield* Postgres

      const checkStored = Effect.fnUntraced(function* ({ from, to }: BlockRange) {
        const cursor = Option.getOrUndefined(yield* readCursor(sql))
        if (cursor === undefined || from < cursor.startedFrom || to > cursor.block)
          return yield* new BlocksNotStored({ first: cursor?.startedFrom, last: cursor?.block })
      })

      const headersOf = Effect.fnUntraced(function* ({ from, to }: BlockRange) {
        const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
        const headers = (yield* node.headers(numbers)).filter((header) => header !== undefined)
        return headers.length === numbers.length ? headers : yield* new BlocksNotOnNode()
      })

      const checkSame = Effect.fnUntraced(function* (headers: ReadonlyArray<BlockHeader>, { from, to }: BlockRange) {
        const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
        const stored = yield* readHashes(sql, from, to)
        if (stored.some(({ number, hash }) => hashes.get(number) !== hash)) return yield* new BlocksNotOnNode()
      })

      return BlockReceipts.of({
        read: Effect.fn("BlockReceipts.read")(function* (range) {
          yield* checkStored(range)
          const headers = yield* headersOf(range)
          const read = yield* node.venueLogs(headers)
          if (read === undefined) return yield* new BlocksNotOnNode()
          yield* checkSame(headers, range)
          const finalized = yield* Effect.orElseSucceed(node.finalized, () => undefined)
          const decoded = decodeFacts(read.logs).facts
          const stored = yield* countStored(sql, range, decoded)
          const logs = Map.groupBy(read.venue, ({ block }) => block)
          const undecodable = Map.groupBy(read.undecodable, ({ block }) => block)
          const facts = Map.groupBy(decoded, ({ block }) => block)
          return headers.map((header) =>
            receiptOf({
              header,
              logs: logs.get(header.number) ?? [],
              undecodable: undecodable.get(header.number) ?? [],
              facts: facts.get(header.number) ?? [],
              stored: stored.get(header.number) ?? {},
              finalized: finalized?.number,
            }),
          )
        }),
      })
    }),
  )
}
