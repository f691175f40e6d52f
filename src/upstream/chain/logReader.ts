import { Effect } from "effect"
import { OddAnswer, type ReaderDied, type RpcFailure, RpcRefusal, sound } from "./failures.ts"
import type { BlockHeader } from "./header.ts"
import { wantedLogs } from "./logFilters.ts"
import { type ChainLogs, type Range, readLogs, rowsOf, untimedBlocks } from "./readLogs.ts"
import { type RangeAnswer, rangeQuestions, type Said } from "./readRange.ts"
import type { makeRpc } from "./rpc.ts"

/** Makes something of what a node answered about a range: here, or in another thread. */
export type RangeReader<A> = (answer: RangeAnswer) => Effect.Effect<Said<A>, ReaderDied>

type Headers = Effect.Effect<ReadonlyArray<BlockHeader | undefined>, RpcFailure | OddAnswer>

/** Reads everything the ledger wants from some places of the chain. */
export const makeLogReader = (
  { batch, bytes }: ReturnType<typeof makeRpc>,
  getHeaders: (numbers: ReadonlyArray<number>) => Headers,
) => {
  const headersOf = (numbers: ReadonlyArray<number>) =>
    Effect.map(getHeaders(numbers), (headers) => headers.filter((header) => header !== undefined))

  const ofBlocks = Effect.fnUntraced(function* (
    blocks: ReadonlyArray<BlockHeader>,
  ): Effect.fn.Return<ChainLogs, RpcFailure | OddAnswer> {
    const numbers = blocks.map(({ number }) => number)
    const range = { from: Math.min(...numbers), to: Math.max(...numbers) }
    const each = blocks.flatMap(({ hash }) => wantedLogs.map((filter) => [{ blockHash: `0x${hash}`, ...filter }]))
    const results = yield* batch("eth_getLogs", each)
    const rows = yield* sound(() => results.flatMap(rowsOf))
    const headers = yield* headersOf(yield* sound(() => untimedBlocks(rows)))
    const known = new Map(headers.map((header) => [header.number, header]))
    return yield* sound(() => readLogs(rows, range, known))
  })

  const ofRange = Effect.fnUntraced(function* <A>(
    range: Range,
    read: RangeReader<A>,
  ): Effect.fn.Return<A, RpcFailure | OddAnswer | ReaderDied> {
    const answer = { bytes: yield* bytes(rangeQuestions(range)), range }
    const first = yield* read({ ...answer, headers: undefined })
    const said =
      first._tag === "Untimed"
        ? yield* read({ range, bytes: first.bytes, headers: yield* headersOf(first.blocks) })
        : first
    switch (said._tag) {
      case "Read":
        return said.value
      case "Refused":
        return yield* new RpcRefusal({ method: said.method, code: said.code, detail: said.detail })
      case "Odd":
        return yield* new OddAnswer({ detail: said.detail })
      case "Untimed":
        return yield* new OddAnswer({ detail: "logs: blocks without times" })
    }
  })

  return { ofBlocks, ofRange }
}
