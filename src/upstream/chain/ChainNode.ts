import { Context, Effect, Layer, Metric, Stream } from "effect"
import type { Hex } from "viem"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { cachedBriefly } from "#src/platform/process/cachedBriefly.ts"
import { Endpoints } from "../Endpoints.ts"
import * as undecodable from "../undecodable.ts"
import { codeCall, isReverted, ownersCall, readCode, readOwners } from "./accounts.ts"
import { balanceCalls, type Holding, readBalances } from "./balances.ts"
import {
  isPruned,
  isStateUnavailable,
  isUnknownBlock,
  parseReply,
  type RangeTooLarge,
  ReaderDied,
  type RpcFailure,
  type StateUnavailable,
  stateUnavailable,
  tooLarge,
} from "./failures.ts"
import { readFinalized } from "./finalized.ts"
import { type BlockHeader, readBlock, readBlockOfTransaction, readHeader } from "./header.ts"
import { makeHeads } from "./heads.ts"
import { makeLogReader, type RangeReader, type VenueLogs } from "./logReader.ts"
import type { PooledNode } from "./NodePool.ts"
import { makeNodeHeads } from "./nodeHeads.ts"
import { configuredNodes } from "./nodes.ts"
import { noPending, pendingFrom } from "./pending.ts"
import type { PendingMatch } from "./pendingMatch.ts"
import type { BlockRange, ChainLogs, UndecodableLog } from "./readLogs.ts"
import type { RangeRead } from "./readRange.ts"
import { headsSilentAfter, pendingSilentAfter, pollEvery } from "./settings.ts"

export { RangeTooLarge, RpcRefusal, StateUnavailable } from "./failures.ts"
export type { BlockHeader } from "./header.ts"
export type { PendingFill, PendingMatch } from "./pendingMatch.ts"
export type { ChainLog, ChainLogs, UndecodableLog } from "./readLogs.ts"

const logsRead = Metric.counter("presage_chain_logs_total", {
  description: "Logs of the venue's contracts read from the node",
  incremental: true,
})

const unexplained = (topic: string) =>
  Metric.counter("presage_ledger_unexplained_logs_total", {
    description:
      "Logs of the venue's contracts that are neither facts nor known to change nothing, by their first topic",
    incremental: true,
    attributes: { topic },
  })

const finalizedFor = "2 seconds"

const quantity = (value: number) => `0x${value.toString(16)}`
const byNumber = (number: number) => [quantity(number), false]

/** Updates what is known about a node's newest block. */
const noteBlocks = (
  node: PooledNode,
  numbers: ReadonlyArray<number>,
  found: ReadonlyArray<BlockHeader | undefined>,
): void => {
  numbers.forEach((number, i) => {
    node.head = found[i] === undefined ? Math.min(node.head, number - 1) : Math.max(node.head, number)
  })
}

/** A block that is too old for the node is one that it lacks. */
export const onlyHeader = (headers: Effect.Effect<ReadonlyArray<BlockHeader | undefined>, RpcFailure>) =>
  Effect.catchIf(
    Effect.map(headers, ([header]) => header),
    isPruned,
    () => Effect.undefined,
  )

const rangeNeed = ({ from, to }: BlockRange) => ({ from, block: to, blocks: to - from + 1 })

/** Polygon, as one or several nodes know it. */
export class ChainNode extends Context.Service<
  ChainNode,
  {
    /** The newest block. */
    readonly head: Effect.Effect<BlockHeader, RpcFailure>
    /** The newest block that cannot be replaced any more; undefined if the node does not say. A few seconds old at most. */
    readonly finalized: Effect.Effect<BlockHeader | undefined, RpcFailure>
    /** The node's oldest block; undefined if the node refuses to say. */
    readonly earliest: Effect.Effect<BlockHeader | undefined, RpcFailure>
    /** Undefined if the node lacks the block, or refuses blocks that are so old. */
    readonly header: (number: number) => Effect.Effect<BlockHeader | undefined, RpcFailure>
    /** Several at once, in the requested order. */
    readonly headers: (
      numbers: ReadonlyArray<number>,
    ) => Effect.Effect<ReadonlyArray<BlockHeader | undefined>, RpcFailure>
    /** The block of a transaction; undefined if the node does not know it, or it is not in a block yet. */
    readonly blockOfTransaction: (hash: Hex) => Effect.Effect<number | undefined, RpcFailure>
    /** Reads the ledger's logs of a range of finalized blocks. */
    readonly logs: <A extends RangeRead>(
      range: BlockRange,
      read: RangeReader<A>,
    ) => Effect.Effect<A, RpcFailure | RangeTooLarge | ReaderDied>
    /** Reads the ledger's logs of exactly these blocks. Undefined if the node lacks one of them, or has another by now. */
    readonly blockLogs: (blocks: ReadonlyArray<BlockHeader>) => Effect.Effect<ChainLogs | undefined, RpcFailure>
    /** Like `blockLogs`, with every log of the venue's contracts. */
    readonly venueLogs: (blocks: ReadonlyArray<BlockHeader>) => Effect.Effect<VenueLogs | undefined, RpcFailure>
    /** Balances of outcome tokens after a block, in the requested order. */
    readonly balances: (
      block: number,
      holdings: ReadonlyArray<Holding>,
    ) => Effect.Effect<ReadonlyArray<bigint>, RpcFailure | StateUnavailable>
    /** The code at addresses after the newest block, in the requested order; `0x` without any. */
    readonly codes: (addresses: ReadonlyArray<Hex>) => Effect.Effect<ReadonlyArray<Hex>, RpcFailure>
    /** The owners of a Safe; undefined if the contract is none. */
    readonly safeOwners: (contract: Hex) => Effect.Effect<ReadonlyArray<Hex> | undefined, RpcFailure>
    /** New blocks as they arrive. They may restart further back after a reorganisation; some may be skipped. */
    readonly heads: Stream.Stream<BlockHeader>
    /** Matches before their block; none without a socket. */
    readonly pending: Stream.Stream<PendingMatch>
  }
>()("presage/upstream/ChainNode") {
  static readonly layer = Layer.effect(
    ChainNode,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { rpcSocket } = yield* Endpoints
      const pool = yield* configuredNodes

      const readHeaders = (node: PooledNode, numbers: ReadonlyArray<number>) =>
        node
          .batch(numbers.map((number) => ({ method: "eth_getBlockByNumber", params: byNumber(number) })))
          .pipe(
            Effect.flatMap((blocks) => parseReply(() => blocks.map((block, i) => readBlock(numbers[i] ?? -1, block)))),
          )
      const readNamed = (node: PooledNode, name: "latest" | "earliest") =>
        Effect.flatMap(node.call("eth_getBlockByNumber", [name, false]), (block) => parseReply(() => readHeader(block)))
      const nodeHeads = makeNodeHeads(pool, (node) => readNamed(node, "latest"))
      yield* Effect.forkScoped(nodeHeads.watching)

      const finalized = yield* cachedBriefly(readFinalized(pool), finalizedFor)

      const readers = new Map(
        pool.nodes.map((node) => [node, makeLogReader(node, (numbers) => readHeaders(node, numbers))]),
      )
      const readerOf = (node: PooledNode) => readers.get(node) as ReturnType<typeof makeLogReader>
      const needOf = (numbers: ReadonlyArray<number>) => (numbers.length === 0 ? {} : { block: Math.max(...numbers) })
      const needOfBlocks = (blocks: ReadonlyArray<BlockHeader>) => needOf(blocks.map(({ number }) => number))
      const headers = (numbers: ReadonlyArray<number>) =>
        pool.run(
          (node) =>
            Effect.tap(readHeaders(node, numbers), (found) => Effect.sync(() => noteBlocks(node, numbers, found))),
          needOf(numbers),
        )

      const readBalancesAt = (block: number, holdings: ReadonlyArray<Holding>) => {
        const calls = balanceCalls(block, holdings)
        return pool.run(
          (node) =>
            Effect.flatMap(node.batch(calls.map(({ params }) => ({ method: "eth_call", params }))), (results) =>
              parseReply(() => readBalances(calls, results)),
            ),
          { block },
        )
      }
      const countLogs = Effect.fnUntraced(function* (count: number, unread: ReadonlyArray<UndecodableLog>) {
        yield* Metric.update(logsRead, count)
        yield* undecodable.skip(
          "rpc",
          "log",
          unread.map((item) => ({ reason: item.reason, item })),
        )
        for (const { topic } of unread) yield* Metric.update(unexplained(topic), 1)
      })

      return ChainNode.of({
        head: Effect.withSpan(nodeHeads.current, "ChainNode.head"),
        finalized: Effect.withSpan(finalized, "ChainNode.finalized"),
        earliest: Effect.withSpan(
          Effect.catchIf(
            pool.run((node) => readNamed(node, "earliest")),
            isPruned,
            () => Effect.undefined,
          ),
          "ChainNode.earliest",
        ),
        header: Effect.fn("ChainNode.header")((number) => onlyHeader(headers([number]))),
        headers: Effect.fn("ChainNode.headers")(headers),
        blockOfTransaction: Effect.fn("ChainNode.blockOfTransaction")((hash: Hex) =>
          pool.run((node) =>
            Effect.flatMap(node.call("eth_getTransactionByHash", [hash]), (transaction) =>
              parseReply(() => readBlockOfTransaction(transaction)),
            ),
          ),
        ),
        logs: Effect.fn("ChainNode.logs")(<A extends RangeRead>(range: BlockRange, read: RangeReader<A>) =>
          pool
            .run((node) => readerOf(node).readRange(range, read), rangeNeed(range))
            .pipe(
              Effect.mapError((failure) => (failure instanceof ReaderDied ? failure : tooLarge(range, failure))),
              Effect.tap(({ count, undecodable: unread }) => countLogs(count, unread)),
            ),
        ),
        blockLogs: Effect.fn("ChainNode.blockLogs")((blocks: ReadonlyArray<BlockHeader>) =>
          pool
            .run((node) => readerOf(node).readBlocks(blocks), needOfBlocks(blocks))
            .pipe(
              Effect.tap(({ logs, undecodable: unread }) => countLogs(logs.length, unread)),
              Effect.catchIf(isUnknownBlock, () => Effect.undefined),
            ),
        ),
        venueLogs: Effect.fn("ChainNode.venueLogs")((blocks: ReadonlyArray<BlockHeader>) =>
          pool
            .run((node) => readerOf(node).readVenue(blocks), needOfBlocks(blocks))
            .pipe(Effect.catchIf(isUnknownBlock, () => Effect.undefined)),
        ),
        balances: Effect.fn("ChainNode.balances")((block: number, holdings: ReadonlyArray<Holding>) =>
          readBalancesAt(block, holdings).pipe(
            Effect.mapError((failure) => (isStateUnavailable(failure) ? stateUnavailable(block, failure) : failure)),
          ),
        ),
        codes: Effect.fn("ChainNode.codes")((addresses: ReadonlyArray<Hex>) =>
          pool.run((node) =>
            Effect.flatMap(node.batch(addresses.map(codeCall)), (codes) => parseReply(() => codes.map(readCode))),
          ),
        ),
        safeOwners: Effect.fn("ChainNode.safeOwners")((contract: Hex) =>
          pool
            .run((node) => Effect.map(node.batch([ownersCall(contract)]), ([owners]) => readOwners(owners)))
            .pipe(Effect.catchIf(isReverted, () => Effect.undefined)),
        ),
        heads: makeHeads({
          newest: nodeHeads.newest,
          pollEvery: () => config.get(pollEvery),
          socket: rpcSocket.length === 0 ? undefined : { urls: rpcSocket, silentAfter: config.get(headsSilentAfter) },
        }).pipe(Stream.tap(nodeHeads.announced)),
        pending: rpcSocket.length === 0 ? noPending : pendingFrom(rpcSocket, () => config.get(pendingSilentAfter)),
      })
    }),
  )
}
