import { Context, Effect, Layer, Result, Schema, Stream } from "effect"
import type { ScoreUpdate } from "#src/domain/Game.ts"
import { Endpoints } from "../Endpoints.ts"
import { countReconnect, reconnectDelay, socketMessages } from "../socket.ts"
import { skip } from "../undecodable.ts"
import { toScoreUpdate, WireScore } from "./scoreWire.ts"

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(WireScore))

const read = (text: string) => {
  const result = decode(text)
  return Result.isSuccess(result)
    ? Effect.succeed([toScoreUpdate(result.success)])
    : Effect.as(skip("sports", "score", [{ reason: result.failure.message, item: text }]), [])
}

/** The server sends a protocol ping every fifteen seconds, and nothing else while no game is on. */
const silentAfter = "45 seconds"

const isHeartbeat = (text: string) => text === "" || text === "ping"

/** Live scores of all games. */
export class Sports extends Context.Service<Sports, { readonly scores: Stream.Stream<ScoreUpdate> }>()(
  "presage/upstream/Sports",
) {
  static readonly layer = Layer.effect(
    Sports,
    Effect.map(Endpoints, ({ sports }) => {
      const messages = socketMessages({
        upstream: "sports",
        url: sports,
        silentAfter,
        isData: () => true,
        pingsAreData: true,
        reply: (text) => (text === "ping" ? "pong" : undefined),
      })
      return Sports.of({
        scores: messages.pipe(
          Stream.tapError((failure) =>
            Effect.andThen(countReconnect("sports"), Effect.logInfo(`scores: ${failure.message}; reconnecting`)),
          ),
          Stream.retry(reconnectDelay),
          Stream.orDie,
          Stream.filter((text) => !isHeartbeat(text)),
          Stream.mapEffect(read),
          Stream.flattenIterable,
        ),
      })
    }),
  )
}
