import { Context, Effect, Layer, Metric, Result, Stream } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp } from "../Http.ts"
import { limits } from "../settings.ts"
import { countReconnect, reconnectDelay } from "../socket.ts"
import * as undecodable from "../undecodable.ts"
import { balanceCalls, type Holding, readBalances } from "./balances.ts"
import {
  isRangeTooLarge,
  isStateUnavailable,
  isUnknownBlock,
  parseReply,
  RangeTooLarge,
  ReaderDied,
  type RpcFailure,
  StateUnavailable,
} from "./failures.ts"
import { type BlockHeader, readBlock, readHeader } from "./header.ts"
import { makeHeads } from "./heads.ts"
import { makeLogReader, type RangeReader, type VenueLogs } from "./logReader.ts"
import { matchSelectors, type PendingMatch, readPending } from "./pendingMatch.ts"
import type { BlockRange, ChainLogs, UndecodableLog } from "./readLogs.ts"
import type { RangeRead } from "./readRange.ts"
import { makeRpc, retryMalformed } from "./rpc.ts"
import { headsSilentAfter, pendingSilentAfter, pollEvery } from "./settings.ts"
import { subscription } from "./subscription.ts"

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

const quantity = (value: number) => `0x${value.toString(16)}`
const byNumber = (number: number) => [quantity(number), false]

/** A Polygon node. */
export class ChainNode extends Context.Service<
  ChainNode,
  {
    /** The newest block. */
    readonly head: Effect.Effect<BlockHeader, RpcFailure>
    /** The node's oldest block. */
    readonly earliest: Effect.Effect<BlockHeader, RpcFailure>
    /** Undefined if the node lacks the block. */
    readonly header: (number: number) => Effect.Effect<BlockHeader | undefined, RpcFailure>
    /** Several at once, in the requested order. */
    readonly headers: (
      numbers: ReadonlyArray<number>,
    ) => Effect.Effect<ReadonlyArray<BlockHeader | undefined>, RpcFailure>
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
      const { rpc: url, rpcSocket } = yield* Endpoints
      const rpc = makeRpc(yield* UpstreamHttp, url)
      const retried = retryMalformed(() => config.get(limits.rpc.attempts))

      const blockAt = (params: ReadonlyArray<unknown>) => rpc.call("eth_getBlockByNumber", params)
      const named = (name: "latest" | "earliest") =>
        retried(Effect.flatMap(blockAt([name, false]), (block) => parseReply(() => readHeader(block))))
      const head = named("latest")
      const readHeaders = (numbers: ReadonlyArray<number>) =>
        rpc
          .batch("eth_getBlockByNumber", numbers.map(byNumber))
          .pipe(
            Effect.flatMap((blocks) => parseReply(() => blocks.map((block, i) => readBlock(numbers[i] ?? -1, block)))),
          )

      const { readBlocks, readRange, readVenue } = makeLogReader(rpc, readHeaders)
      const readBalancesAt = (block: number, holdings: ReadonlyArray<Holding>) => {
        const calls = balanceCalls(block, holdings)
        const each = calls.map(({ params }) => params)
        return Effect.flatMap(rpc.batch("eth_call", each), (results) => parseReply(() => readBalances(calls, results)))
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

      const pendingFrom = (socketUrl: string): Stream.Stream<PendingMatch> =>
        subscription({
          url: socketUrl,
          params: ["newPendingTransactions", true],
          silentAfter: config.get(pendingSilentAfter),
          // The node sends every transaction of the chain.
          wanted: (text) => matchSelectors.some((selector) => text.includes(selector)),
        }).pipe(
          Stream.tapError((failure) =>
            Effect.andThen(countReconnect("rpc"), Effect.logInfo(`${failure.message}; reconnecting`)),
          ),
          Stream.retry(reconnectDelay),
          Stream.orDie,
          // Matches arrive by the dozen and take a while to decode: other fibers run in between.
          Stream.tap(() => Effect.yieldNow),
          Stream.mapEffect(({ text, result }) =>
            Result.match(readPending(result), {
              onSuccess: (match) => Effect.succeed(match === undefined ? [] : [match]),
              onFailure: (reason) => Effect.as(undecodable.skip("rpc", "pending", [{ reason, item: text }]), []),
            }),
          ),
          Stream.flattenIterable,
        )

      return ChainNode.of({
        head,
        earliest: named("earliest"),
        header: (number) =>
          retried(Effect.flatMap(blockAt(byNumber(number)), (block) => parseReply(() => readBlock(number, block)))),
        headers: (numbers) => retried(readHeaders(numbers)),
        logs: Effect.fn("ChainNode.logs")(<A extends RangeRead>(range: BlockRange, read: RangeReader<A>) =>
          retried(readRange(range, read)).pipe(
            Effect.mapError((failure) =>
              !(failure instanceof ReaderDied) && isRangeTooLarge(failure)
                ? new RangeTooLarge({ ...range, detail: failure.message.slice(0, 300) })
                : failure,
            ),
            Effect.tap(({ count, undecodable: unread }) => countLogs(count, unread)),
          ),
        ),
        blockLogs: Effect.fn("ChainNode.blockLogs")((blocks: ReadonlyArray<BlockHeader>) =>
          retried(readBlocks(blocks)).pipe(
            Effect.tap(({ logs, undecodable: unread }) => countLogs(logs.length, unread)),
            Effect.catchIf(isUnknownBlock, () => Effect.undefined),
          ),
        ),
        venueLogs: Effect.fn("ChainNode.venueLogs")((blocks: ReadonlyArray<BlockHeader>) =>
          retried(readVenue(blocks)).pipe(Effect.catchIf(isUnknownBlock, () => Effect.undefined)),
        ),
        balances: Effect.fn("ChainNode.balances")((block: number, holdings: ReadonlyArray<Holding>) =>
          retried(readBalancesAt(block, holdings)).pipe(
            Effect.mapError((failure) =>
              isStateUnavailable(failure) ? new StateUnavailable({ block, detail: failure.detail }) : failure,
            ),
          ),
        ),
        heads: makeHeads({
          newest: head,
          pollEvery: () => config.get(pollEvery),
          socket: rpcSocket === undefined ? undefined : { url: rpcSocket, silentAfter: config.get(headsSilentAfter) },
        }),
        pending: rpcSocket === undefined ? Stream.never : pendingFrom(rpcSocket),
      })
    }),
  )
}
