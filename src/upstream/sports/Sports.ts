import { Context, Effect, Layer, Result, Schema, Stream } from "effect"
import { readScore, readStatus, type ScoreUpdate } from "#src/domain/Game.ts"
import { Endpoints } from "../Endpoints.ts"
import { countReconnect, reconnectDelay, socketMessages } from "../socket.ts"
import { skip } from "../undecodable.ts"

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Text = Schema.String.check(Schema.makeFilter((text) => !text.includes("\0")))
const Moment = Schema.String.check(Schema.makeFilter((text) => !Number.isNaN(Date.parse(text))))

/** An update of a game. Only the slug is always present. */
export const WireScore = Schema.Struct({
  slug: Text,
  gameId: maybe(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))),
  leagueAbbreviation: maybe(Text),
  homeTeam: maybe(Text),
  awayTeam: maybe(Text),
  status: maybe(Text),
  score: maybe(Text),
  period: maybe(Text),
  elapsed: maybe(Text),
  live: maybe(Schema.Boolean),
  ended: maybe(Schema.Boolean),
  last_update: maybe(Moment),
  finished_timestamp: maybe(Moment),
  turn: maybe(Text),
})

const momentOf = (text: string | null | undefined) => (text === null || text === undefined ? null : Date.parse(text))

export const toScoreUpdate = (wire: typeof WireScore.Type): ScoreUpdate => ({
  id: wire.gameId ?? null,
  slug: wire.slug,
  league: wire.leagueAbbreviation ?? null,
  home: wire.homeTeam ?? null,
  away: wire.awayTeam ?? null,
  at: momentOf(wire.last_update),
  state: {
    status: readStatus(wire.status),
    score: readScore(wire.score),
    period: wire.period || null,
    elapsed: wire.elapsed || null,
    turn: wire.turn || null,
    live: wire.live ?? null,
    ended: wire.ended ?? null,
    finishedAt: momentOf(wire.finished_timestamp),
  },
})

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(WireScore))

const read = (text: string) => {
  const result = decode(text)
  return Result.isSuccess(result)
    ? Effect.succeed([toScoreUpdate(result.success)])
    : Effect.as(skip("sports", "score", [{ reason: result.failure.message, item: text }]), [])
}

/** The server sends a ping every five seconds, so silence means a dead connection even if no game is on. */
const silentAfter = "15 seconds"

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
        reply: (text) => (text === "ping" ? "pong" : undefined),
      })
      return Sports.of({
        scores: messages.pipe(
          Stream.tapError((failure) =>
            Effect.andThen(countReconnect("sports"), Effect.logInfo(`scores: ${failure.message}; reconnecting`)),
          ),
          Stream.retry(reconnectDelay),
          Stream.orDie,
          Stream.filter((text) => text !== "ping"),
          Stream.mapEffect(read),
          Stream.flattenIterable,
        ),
      })
    }),
  )
}
