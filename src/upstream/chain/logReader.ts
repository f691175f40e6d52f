import { Effect } from "effect"
import { MalformedAnswer, parseReply, ReaderDied, type RpcFailure, RpcRefusal, refusalOf } from "./failures.ts"
import type { BlockHeader } from "./header.ts"
import { allLogs, inParts } from "./logFilters.ts"
import type { PooledNode } from "./NodePool.ts"
import {
  type BlockRange,
  type ChainLogs,
  readLogs,
  relevantRows,
  rowsOf,
  untimedBlocks,
  type VenueLog,
  venueLogs,
} from "./readLogs.ts"
import { type RangeAnswer, type RangeResult, rangeCalls } from "./readRange.ts"

/** Decodes a node's answer about a range, possibly in another thread. */
export type RangeReader<A> = (answer: RangeAnswer) => Effect.Effect<RangeResult<A>, ReaderDied>

/** The ledger's logs together with all logs of the venue's contracts. */
export interface VenueLogs extends ChainLogs {
  readonly venue: ReadonlyArray<VenueLog>
}

type Headers = Effect.Effect<ReadonlyArray<BlockHeader | undefined>, RpcFailure | MalformedAnswer>

type ReadFailure = RpcFailure | MalformedAnswer | ReaderDied

/** What a node's refusal asks for; undefined if the failure is another one. */
const refusalIn = (failure: ReadFailure) =>
  failure instanceof MalformedAnswer || failure instanceof ReaderDied ? undefined : refusalOf(failure)

/** Worded like a refusal of the node, which would say the same again. */
const knownLimit = (blocks: number) => `the node accepts a block range of at most ${blocks} blocks`

/** Ranges up to this width are read with one filter, wider ones with exact filters. */
const mergedUpTo = 100

/** Reads the ledger's logs of some blocks from a node. */
export const makeLogReader = (
  { batch, bytes, limits }: PooledNode,
  getHeaders: (numbers: ReadonlyArray<number>) => Headers,
) => {
  const headersOf = (numbers: ReadonlyArray<number>) =>
    Effect.map(getHeaders(numbers), (headers) => headers.filter((header) => header !== undefined))

  /** Reads again with fewer addresses in each filter while the node refuses them for being too many. */
  const withFewerAddresses = <A, E extends ReadFailure>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.catchIf(
      read,
      (failure) =>
        refusalIn(failure)?.meaning === "too-many-addresses" && limits.refusedAddresses(allLogs.address.length),
      () => withFewerAddresses(read),
    )

  const rowsOfBlocks = (blocks: ReadonlyArray<BlockHeader>) =>
    withFewerAddresses(
      Effect.gen(function* () {
        const filters = inParts([allLogs], limits.addresses)
        const calls = blocks.flatMap(({ hash }) =>
          filters.map((filter) => ({ method: "eth_getLogs", params: [{ blockHash: `0x${hash}`, ...filter }] })),
        )
        const results = yield* batch(calls)
        return yield* parseReply(() => results.flatMap(rowsOf))
      }),
    )

  const readRows = Effect.fnUntraced(function* (
    blocks: ReadonlyArray<BlockHeader>,
    rows: ReturnType<typeof rowsOf>,
  ): Effect.fn.Return<ChainLogs, RpcFailure | MalformedAnswer> {
    const numbers = blocks.map(({ number }) => number)
    const range = { from: Math.min(...numbers), to: Math.max(...numbers) }
    const relevant = yield* parseReply(() => relevantRows(rows))
    const headers = yield* headersOf(yield* parseReply(() => untimedBlocks(relevant)))
    const known = new Map(headers.map((header) => [header.number, header]))
    return yield* parseReply(() => readLogs(relevant, range, known))
  })

  const readBlocks = (blocks: ReadonlyArray<BlockHeader>) =>
    Effect.flatMap(rowsOfBlocks(blocks), (rows) => readRows(blocks, rows))

  const readVenue = Effect.fnUntraced(function* (
    blocks: ReadonlyArray<BlockHeader>,
  ): Effect.fn.Return<VenueLogs, RpcFailure | MalformedAnswer> {
    const rows = yield* rowsOfBlocks(blocks)
    return { ...(yield* readRows(blocks, rows)), venue: yield* parseReply(() => venueLogs(rows)) }
  })

  const readRange = Effect.fnUntraced(function* <A>(
    range: BlockRange,
    read: RangeReader<A>,
  ): Effect.fn.Return<A, RpcFailure | MalformedAnswer | ReaderDied> {
    const blocks = range.to - range.from + 1
    if (limits.blocks !== undefined && blocks > limits.blocks) {
      return yield* new RpcRefusal({ method: "eth_getLogs", code: 0, detail: knownLimit(limits.blocks) })
    }
    const isMerged = (limits.blocks ?? Number.POSITIVE_INFINITY) <= mergedUpTo
    const calls = { range, isMerged, addresses: limits.addresses }
    const answer = { bytes: yield* bytes(rangeCalls(calls), blocks > 1), ...calls }
    const first = yield* read({ ...answer, headers: undefined })
    const result =
      first._tag === "Untimed"
        ? yield* read({ ...answer, bytes: first.bytes, headers: yield* headersOf(first.blocks) })
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

  const learnWidth = ({ from, to }: BlockRange, failure: ReadFailure) => {
    const refusal = refusalIn(failure)
    if (refusal?.meaning === "too-wide") limits.refusedRange(to - from + 1, refusal)
  }
  const readLearning = <A>(range: BlockRange, read: RangeReader<A>) =>
    Effect.tapError(withFewerAddresses(readRange(range, read)), (failure) =>
      Effect.sync(() => learnWidth(range, failure)),
    )

  return { readBlocks, readRange: readLearning, readVenue }
}
