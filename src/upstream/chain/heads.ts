import { type Duration, Effect, Metric, Stream } from "effect"
import { countReconnect } from "../socket.ts"
import { type RpcFailure, sound } from "./failures.ts"
import { type BlockHeader, readHeader } from "./header.ts"
import { passOver } from "./passOver.ts"
import { type Subscription, subscription } from "./subscription.ts"

/** How long the node is polled before its socket is tried again. */
const pollFor = "3 seconds"

const headsBy = (by: "socket" | "poll") =>
  Metric.counter("presage_chain_heads_total", {
    description: "New blocks by how they were heard of",
    incremental: true,
    attributes: { by },
  })

interface Heard {
  readonly by: "socket" | "poll"
  readonly header: BlockHeader
}

export interface HeadsOptions {
  readonly newest: Effect.Effect<BlockHeader, RpcFailure>
  readonly pollEvery: () => Duration.Duration
  /** Undefined when there is only HTTP. */
  readonly socket: Omit<Subscription, "params"> | undefined
}

/**
 * New blocks, each once, for as long as it is listened to: told over a socket, and asked for whenever the socket is
 * missing, silent, broken or incomprehensible.
 */
export const makeHeads = ({ newest, pollEvery, socket }: HeadsOptions): Stream.Stream<BlockHeader> => {
  const asked: Effect.Effect<ReadonlyArray<Heard>> = newest.pipe(
    Effect.map((header) => [{ by: "poll" as const, header }]),
    Effect.catch((failure) => Effect.as(Effect.logDebug(`the newest block: ${failure.message}`), [])),
  )
  const polled = Stream.flattenIterable(
    Stream.concat(
      Stream.fromEffect(asked),
      Stream.fromEffectRepeat(
        Effect.andThen(
          Effect.suspend(() => Effect.sleep(pollEvery())),
          asked,
        ),
      ),
    ),
  )
  return Stream.suspend(() => {
    let last: BlockHeader | undefined
    // An answer may come from a node behind the one on the socket; what it says is old then, and no reorganisation.
    const isNew = ({ by, header }: Heard) =>
      last === undefined || (header.hash !== last.hash && (by === "socket" || header.number >= last.number))
    return (socket === undefined ? polled : withSocket(socket, asked, polled)).pipe(
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
  socket: Omit<Subscription, "params">,
  asked: Effect.Effect<ReadonlyArray<Heard>>,
  polled: Stream.Stream<Heard>,
): Stream.Stream<Heard> => {
  const told = subscription({ ...socket, params: ["newHeads"] }).pipe(
    Stream.mapEffect(({ text, result }) =>
      sound(() => readHeader(result)).pipe(
        Effect.map((header): ReadonlyArray<Heard> => [{ by: "socket", header }]),
        Effect.catch((odd) => Effect.andThen(passOver("head", odd.detail, text), asked)),
      ),
    ),
  )
  // What came while there was no connection is not told again, so it is asked for.
  const connection = Stream.flattenIterable(Stream.merge(Stream.fromEffect(asked), told))
  return connection.pipe(
    Stream.tapError((failure) =>
      Effect.andThen(countReconnect("rpc"), Effect.logInfo(`${failure.message}; polling meanwhile`)),
    ),
    Stream.catch(() => Stream.interruptWhen(polled, Effect.sleep(pollFor))),
    Stream.forever,
  )
}
