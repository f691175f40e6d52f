import { Context, Effect, Layer, Metric, Result, Stream } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp } from "../Http.ts"
import { limits } from "../settings.ts"
import { countReconnect, reconnectDelay } from "../socket.ts"
import { isRangeTooLarge, isUnknownBlock, RangeTooLarge, ReaderDied, type RpcFailure, sound } from "./failures.ts"
import { type BlockHeader, readBlock, readHeader } from "./header.ts"
import { makeHeads } from "./heads.ts"
import { makeLogReader, type RangeReader } from "./logReader.ts"
import { passOver, passOverLogs } from "./passOver.ts"
import { matchOrdersSelector, type PendingMatch, readPending } from "./pendingMatch.ts"
import type { ChainLogs, Range, UndecodableLog } from "./readLogs.ts"
import type { RangeRead } from "./readRange.ts"
import { makeRpc, untilSound } from "./rpc.ts"
import { headsSilentAfter, pendingSilentAfter, pollEvery } from "./settings.ts"
import { subscription } from "./subscription.ts"

export { RangeTooLarge, RpcRefusal } from "./failures.ts"
export type { BlockHeader } from "./header.ts"
export type { PendingFill, PendingMatch } from "./pendingMatch.ts"
export type { ChainLog, ChainLogs, UndecodableLog } from "./readLogs.ts"

const logsRead = Metric.counter("presage_chain_logs_total", {
  description: "Logs of the venue's contracts that were read from the node",
  incremental: true,
})

const quantity = (value: number) => `0x${value.toString(16)}`
const byNumber = (number: number) => [quantity(number), false]

/** A Polygon node. */
export class ChainNode extends Context.Service<
  ChainNode,
  {
    /** The newest block. */
    readonly head: Effect.Effect<BlockHeader, RpcFailure>
    /** The oldest block that the node has. */
    readonly earliest: Effect.Effect<BlockHeader, RpcFailure>
    /** Undefined when the node does not have it. */
    readonly header: (number: number) => Effect.Effect<BlockHeader | undefined, RpcFailure>
    /** Several at once, in the order asked for. */
    readonly headers: (
      numbers: ReadonlyArray<number>,
    ) => Effect.Effect<ReadonlyArray<BlockHeader | undefined>, RpcFailure>
    /** What a reader makes of all that the ledger wants from these blocks. They must be too old to be replaced. */
    readonly logs: <A extends RangeRead>(
      range: Range,
      read: RangeReader<A>,
    ) => Effect.Effect<A, RpcFailure | RangeTooLarge | ReaderDied>
    /** All that it wants from exactly these blocks. Undefined when the node does not have one of them, or has another now. */
    readonly blockLogs: (blocks: ReadonlyArray<BlockHeader>) => Effect.Effect<ChainLogs | undefined, RpcFailure>
    /** New blocks as they come. After a reorganisation they may begin again further back; some may be left out. */
    readonly heads: Stream.Stream<BlockHeader>
    /** Matches before they are in a block; none without a socket. */
    readonly pending: Stream.Stream<PendingMatch>
  }
>()("presage/upstream/ChainNode") {
  static readonly layer = Layer.effect(
    ChainNode,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { rpc: url, rpcSocket } = yield* Endpoints
      const rpc = makeRpc(yield* UpstreamHttp, url)
      const sure = untilSound(() => config.get(limits.rpc.attempts))

      const blockAt = (params: ReadonlyArray<unknown>) => rpc.call("eth_getBlockByNumber", params)
      const named = (name: "latest" | "earliest") =>
        sure(Effect.flatMap(blockAt([name, false]), (block) => sound(() => readHeader(block))))
      const head = named("latest")
      const readHeaders = (numbers: ReadonlyArray<number>) =>
        rpc
          .batch("eth_getBlockByNumber", numbers.map(byNumber))
          .pipe(Effect.flatMap((blocks) => sound(() => blocks.map((block, i) => readBlock(numbers[i] ?? -1, block)))))

      const { ofBlocks, ofRange } = makeLogReader(rpc, readHeaders)
      const note = (count: number, undecodable: ReadonlyArray<UndecodableLog>) =>
        Effect.andThen(Metric.update(logsRead, count), passOverLogs(undecodable))

      const pendingFrom = (socketUrl: string): Stream.Stream<PendingMatch> =>
        subscription({
          url: socketUrl,
          params: ["newPendingTransactions", true],
          silentAfter: config.get(pendingSilentAfter),
          // Every transaction of the whole chain is told.
          wanted: (text) => text.includes(matchOrdersSelector),
        }).pipe(
          Stream.tapError((failure) =>
            Effect.andThen(countReconnect("rpc"), Effect.logInfo(`${failure.message}; connecting again`)),
          ),
          Stream.retry(reconnectDelay),
          Stream.orDie,
          // Matches come by the dozen, and each takes a while to read: others have a turn in between.
          Stream.tap(() => Effect.yieldNow),
          Stream.mapEffect(({ text, result }) =>
            Result.match(readPending(result), {
              onSuccess: (match) => Effect.succeed(match === undefined ? [] : [match]),
              onFailure: (reason) => Effect.as(passOver("pending", reason, text), []),
            }),
          ),
          Stream.flattenIterable,
        )

      return ChainNode.of({
        head,
        earliest: named("earliest"),
        header: (number) =>
          sure(Effect.flatMap(blockAt(byNumber(number)), (block) => sound(() => readBlock(number, block)))),
        headers: (numbers) => sure(readHeaders(numbers)),
        logs: Effect.fn("ChainNode.logs")(<A extends RangeRead>(range: Range, read: RangeReader<A>) =>
          sure(ofRange(range, read)).pipe(
            Effect.mapError((failure) =>
              !(failure instanceof ReaderDied) && isRangeTooLarge(failure)
                ? new RangeTooLarge({ ...range, detail: failure.message.slice(0, 300) })
                : failure,
            ),
            Effect.tap(({ count, undecodable }) => note(count, undecodable)),
          ),
        ),
        blockLogs: Effect.fn("ChainNode.blockLogs")((blocks: ReadonlyArray<BlockHeader>) =>
          sure(ofBlocks(blocks)).pipe(
            Effect.tap(({ logs, undecodable }) => note(logs.length, undecodable)),
            Effect.catchIf(isUnknownBlock, () => Effect.undefined),
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
