import { Effect } from "effect"
import { MalformedAnswer, parseReply, type ReaderDied, type RpcFailure, RpcRefusal } from "./failures.ts"
import type { BlockHeader } from "./header.ts"
import { wantedLogs } from "./logFilters.ts"
import { type BlockRange, type ChainLogs, readLogs, rowsOf, untimedBlocks } from "./readLogs.ts"
import { type RangeAnswer, type RangeResult, rangeCalls } from "./readRange.ts"
import type { makeRpc } from "./rpc.ts"

/** Decodes a node's answer about a range, possibly in another thread. */
export type RangeReader<A> = (answer: RangeAnswer) => Effect.Effect<RangeResult<A>, ReaderDied>

type Headers = Effect.Effect<ReadonlyArray<BlockHeader | undefined>, RpcFailure | MalformedAnswer>

/** Reads the ledger's logs of some blocks. */
export const makeLogReader = (
  { batch, bytes }: ReturnType<typeof makeRpc>,
  getHeaders: (numbers: ReadonlyArray<number>) => Headers,
) => {
  const headersOf = (numbers: ReadonlyArray<number>) =>
    Effect.map(getHeaders(numbers), (headers) => headers.filter((header) => header !== undefined))

  const readBlocks = Effect.fnUntraced(function* (
    blocks: ReadonlyArray<BlockHeader>,
  ): Effect.fn.Return<ChainLogs, RpcFailure | MalformedAnswer> {
    const numbers = blocks.map(({ number }) => number)
    const range = { from: Math.min(...numbers), to: Math.max(...numbers) }
    const each = blocks.flatMap(({ hash }) => wantedLogs.map((filter) => [{ blockHash: `0x${hash}`, ...filter }]))
    const results = yield* batch("eth_getLogs", each)
    const rows = yield* parseReply(() => results.flatMap(rowsOf))
    const headers = yield* headersOf(yield* parseReply(() => untimedBlocks(rows)))
    const known = new Map(headers.map((header) => [header.number, header]))
    return yield* parseReply(() => readLogs(rows, range, known))
  })

  const readRange = Effect.fnUntraced(function* <A>(
    range: BlockRange,
    read: RangeReader<A>,
  ): Effect.fn.Return<A, RpcFailure | MalformedAnswer | ReaderDied> {
    const answer = { bytes: yield* bytes(rangeCalls(range)), range }
    const first = yield* read({ ...answer, headers: undefined })
    const result =
      first._tag === "Untimed"
        ? yield* read({ range, bytes: first.bytes, headers: yield* headersOf(first.blocks) })
        : first
    switch (result._tag) {
      case "Read":
        return result.value
      case "Refused":
        return yield* new RpcRefusal({ method: result.method, code: result.code, detail: result.detail })
      case "Malformed":
        return yield* new MalformedAnswer({ detail: result.detail })
      case "Untimed":
        return yield* new MalformedAnswer({ detail: "logs: blocks without times" })
    }
  })

  return { readBlocks, readRange }
}
