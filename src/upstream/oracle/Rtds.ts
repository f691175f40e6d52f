import { Context, Effect, Layer, Stream } from "effect"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { socketMessages } from "#src/upstream/socket.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { type PlatformMessage, type PlatformSeries, readMessages } from "./platformMessage.ts"
import { readRtdsFrame, rtdsSubscription } from "./rtdsWire.ts"

const name = "rtds"

/** The platform's socket: a price of each coin every second, and the last two minutes on request. */
export class Rtds extends Context.Service<
  Rtds,
  {
    /** Messages of one connection, until it fails. Each element of `resubscribe` requests new snapshots. */
    readonly live: (
      series: PlatformSeries,
      resubscribe: Stream.Stream<void>,
    ) => Stream.Stream<ReadonlyArray<PlatformMessage>, UpstreamFailure>
  }
>()("presage/upstream/oracle/Rtds") {
  static readonly layer = Layer.effect(
    Rtds,
    Effect.map(Endpoints, (endpoints) =>
      Rtds.of({
        live: (series, resubscribe) =>
          socketMessages({
            upstream: name,
            url: endpoints.rtds,
            initialMessages: [rtdsSubscription(series)],
            outgoing: Stream.map(resubscribe, () => rtdsSubscription(series)),
            keepAlive: { every: "5 seconds", text: "PING" },
            silentAfter: "3 seconds",
          }).pipe(Stream.chunks, Stream.mapEffect(readMessages(name, (text) => readRtdsFrame(text, series)))),
      }),
    ),
  )
}
