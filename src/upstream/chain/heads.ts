import { type Duration, Effect, Metric, Stream } from "effect"
import { countReconnect } from "../socket.ts"
import * as undecodable from "../undecodable.ts"
import { parseReply, type RpcFailure } from "./failures.ts"
import { type BlockHeader, readHeader } from "./header.ts"
import { subscription } from "./subscription.ts"

/** Polling time before the socket is tried again. */
const pollFor = "3 seconds"

const headsBy = (by: "socket" | "poll") =>
  Metric.counter("presage_chain_heads_total", {
    description: "New blocks by source: socket or poll",
    incremental: true,
    attributes: { by },
  })

interface Head {
  readonly by: "socket" | "poll"
  readonly header: BlockHeader
}

export interface HeadsOptions {
  readonly newest: Effect.Effect<BlockHeader, RpcFailure>
  readonly pollEvery: () => Duration.Duration
  /** Undefined if the nodes have only HTTP. */
  readonly socket: Sockets | undefined
}

interface Sockets {
  /** Each connection uses the next one. */
  readonly urls: ReadonlyArray<string>
  readonly silentAfter: Duration.Input
}

/** New blocks, each once: from a socket, or by polling while the socket is missing, silent, broken or malformed. */
export const makeHeads = ({ newest, pollEvery, socket }: HeadsOptions): Stream.Stream<BlockHeader> => {
  const latest: Effect.Effect<ReadonlyArray<Head>> = newest.pipe(
    Effect.map((header) => [{ by: "poll" as const, header }]),
    Effect.catch((failure) => Effect.as(Effect.logDebug(`failed to read the newest block: ${failure.message}`), [])),
  )
  const polled = Stream.flattenIterable(
    Stream.concat(
      Stream.fromEffect(latest),
      Stream.fromEffectRepeat(
        Effect.andThen(
          Effect.suspend(() => Effect.sleep(pollEvery())),
          latest,
        ),
      ),
    ),
  )
  return Stream.suspend(() => {
    let last: BlockHeader | undefined
    // An answer may come from a node that lags behind the one on the socket; an older block is no reorganisation then.
    const isNew = ({ by, header }: Head) =>
      last === undefined || (header.hash !== last.hash && (by === "socket" || header.number >= last.number))
    return (socket === undefined ? polled : withSocket(socket, latest, polled)).pipe(
      Stream.filter(isNew),
      Stream.tap(({ by, header }) => {
        last = header
        return Metric.update(headsBy(by), 1)
      }),
      Stream.map(({ header }) => header),
    )
  })
}

const withSocket = (
  { urls, silentAfter }: Sockets,
  latest: Effect.Effect<ReadonlyArray<Head>>,
  polled: Stream.Stream<Head>,
): Stream.Stream<Head> => {
  let connections = 0
  const nextUrl = () => urls[connections++ % urls.length] ?? ""
  const subscribed = Stream.suspend(() => subscription({ url: nextUrl(), params: ["newHeads"], silentAfter }))
  const notified = subscribed.pipe(
    Stream.mapEffect(({ text, result }) =>
      parseReply(() => readHeader(result)).pipe(
        Effect.map((header): ReadonlyArray<Head> => [{ by: "socket", header }]),
        Effect.catch(({ detail }) =>
          Effect.andThen(undecodable.skip("rpc", "head", [{ reason: detail, item: text }]), latest),
        ),
      ),
    ),
  )
  // The socket does not repeat blocks that arrived while it was disconnected, so the newest is requested.
  const connection = Stream.flattenIterable(Stream.merge(Stream.fromEffect(latest), notified))
  return connection.pipe(
    Stream.tapError((failure) =>
      Effect.andThen(countReconnect("rpc"), Effect.logInfo(`${failure.message}; polling meanwhile`)),
    ),
    Stream.catch(() => Stream.interruptWhen(polled, Effect.sleep(pollFor))),
    Stream.forever,
  )
}
