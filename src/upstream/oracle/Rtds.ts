import { Context, Effect, Layer, Result, Stream } from "effect"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { socketMessages } from "#src/upstream/socket.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { skip, type UndecodableItem } from "#src/upstream/undecodable.ts"
import { type RtdsMessage, readRtdsFrame, rtdsSubscription } from "./rtdsWire.ts"

const name = "rtds"

const readAll = (texts: ReadonlyArray<string>) => {
  const messages: Array<RtdsMessage> = []
  const failures: Array<UndecodableItem> = []
  for (const text of texts) {
    const result = readRtdsFrame(text)
    if (Result.isFailure(result)) {
      failures.push({ reason: result.failure, item: text })
      continue
    }
    const message = result.success
    messages.push(message)
    if (message.kind !== "snapshot") continue
    for (const item of message.unread) failures.push({ reason: "row of a snapshot", item })
  }
  return Effect.as(skip(name, "tick", failures), messages)
}

/** The platform's socket: a price of each coin every second, and the last two minutes on request. */
export class Rtds extends Context.Service<
  Rtds,
  {
    /** Messages of one connection, until it fails. Each element of `resubscribe` requests new snapshots. */
    readonly live: (resubscribe: Stream.Stream<void>) => Stream.Stream<ReadonlyArray<RtdsMessage>, UpstreamFailure>
  }
>()("presage/upstream/oracle/Rtds") {
  static readonly layer = Layer.effect(
    Rtds,
    Effect.map(Endpoints, (endpoints) =>
      Rtds.of({
        live: (resubscribe) =>
          socketMessages({
            upstream: name,
            url: endpoints.rtds,
            initialMessages: [rtdsSubscription],
            outgoing: Stream.map(resubscribe, () => rtdsSubscription),
            keepAlive: { every: "5 seconds", text: "PING" },
            silentAfter: "3 seconds",
          }).pipe(Stream.chunks, Stream.mapEffect(readAll)),
      }),
    ),
  )
}
