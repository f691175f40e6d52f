import { Context, Effect, Layer, Stream } from "effect"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { socketMessages } from "#src/upstream/socket.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { type PlatformMessage, type PlatformSeries, readMessages } from "./platformMessage.ts"
import { authentication, isAuthenticated, readPolyboltFrame, subscribe, unsubscribe } from "./polyboltWire.ts"

const name = "polybolt"

/** PolyBolt, the successor of the platform's real-time socket. Every channel needs credentials. */
export class Polybolt extends Context.Service<
  Polybolt,
  {
    /** False without credentials. */
    readonly isAvailable: boolean
    /** Messages of one connection, until it fails. Each element of `resubscribe` requests new snapshots. */
    readonly live: (
      series: PlatformSeries,
      resubscribe: Stream.Stream<void>,
    ) => Stream.Stream<ReadonlyArray<PlatformMessage>, UpstreamFailure>
  }
>()("presage/upstream/oracle/Polybolt") {
  static readonly layer = Layer.effect(
    Polybolt,
    Effect.map(Endpoints, ({ polybolt, polyboltCredentials: credentials }) =>
      Polybolt.of({
        isAvailable: credentials !== undefined,
        live: (series, resubscribe) =>
          socketMessages({
            upstream: name,
            url: polybolt,
            initialMessages: credentials === undefined ? [] : [authentication(credentials)],
            reply: (text) => (isAuthenticated(text) ? subscribe(series) : undefined),
            outgoing: Stream.flatMap(resubscribe, () => Stream.make(unsubscribe(series), subscribe(series))),
            silentAfter: "3 seconds",
          }).pipe(Stream.chunks, Stream.mapEffect(readMessages(name, (text) => readPolyboltFrame(text, series)))),
      }),
    ),
  )
}
