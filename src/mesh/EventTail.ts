import { readFileSync } from "node:fs"
import { Context, Effect, Layer, Schema } from "effect"
import { Configuration } from "#src/platform/Configuration.ts"
import { Redis, type RedisFailure } from "#src/platform/Redis.ts"
import { EventLog, type LoggedEvent } from "./EventLog.ts"
import { keys } from "./Keys.ts"
import { eventLogTail } from "./settings.ts"

/** A newer relay has written to the tail: this one has been replaced. */
export class RelayReplaced extends Schema.TaggedError<RelayReplaced>()("RelayReplaced", {}) {}

/** An event as it lies in Redis; `seq` is the entry's id. */
const Entry = Schema.fromJsonString(
  Schema.Struct({
    at: Schema.Number,
    kind: Schema.String,
    ref: Schema.NullOr(Schema.BigIntFromString),
    sub: Schema.NullOr(Schema.Number),
    data: Schema.Unknown,
  }),
)
const decodeEntry = Schema.decodeSync(Entry)

// Written by hand because it is on the path of every event; decodeEntry is its inverse (tested).
const encodeEntry = ({ recordedAt, kind, ref, sub, data }: LoggedEvent) =>
  JSON.stringify({ at: recordedAt, kind, ref: ref === null ? null : String(ref), sub, data })

const pushEvents = readFileSync(new URL("./lua/pushEvents.lua", import.meta.url), "utf8")

/** The newest part of the event log, in Redis, for live fan-out and short replay. It can be lost: the relay refills it. */
export class EventTail extends Context.Service<
  EventTail,
  {
    /** Seq of the newest event in the tail, 0 when it is empty or the tail of another log. */
    readonly last: Effect.Effect<bigint, RedisFailure>
    /** Appends; tells whether `after` was indeed the last seq. Refused for a relay with an older epoch. */
    readonly push: (options: {
      readonly epoch: bigint
      readonly after: bigint
      readonly events: ReadonlyArray<LoggedEvent>
    }) => Effect.Effect<boolean, RedisFailure | RelayReplaced>
    readonly read: (after: bigint, limit: number) => Effect.Effect<ReadonlyArray<LoggedEvent>, RedisFailure>
  }
>()("presage/mesh/EventTail") {
  static readonly layer = Layer.effect(
    EventTail,
    Effect.gen(function* () {
      const redis = yield* Redis
      const config = yield* Configuration
      const { identity } = yield* EventLog
      const { events: stream, eventsOwner } = keys(redis.prefix)
      const seqOf = (id: string) => BigInt(id.slice(0, id.indexOf("-")))

      return EventTail.of({
        last: redis.run(async (client) => {
          const [owner, [newest]] = await Promise.all([
            client.hget(eventsOwner, "log"),
            client.xrevrange(stream, "+", "-", "COUNT", 1),
          ])
          return owner === identity && newest !== undefined ? seqOf(newest[0]) : 0n
        }),
        push: ({ epoch, after, events }) =>
          Effect.flatMap(
            redis.run((client) => {
              const pairs = events.flatMap((event) => [String(event.seq), encodeEntry(event)])
              return client.eval(
                pushEvents,
                2,
                stream,
                eventsOwner,
                identity,
                String(epoch),
                config.get(eventLogTail),
                String(after),
                ...pairs,
              )
            }),
            (last) => (last === -1 ? Effect.fail(new RelayReplaced()) : Effect.succeed(last !== -2)),
          ),
        read: (after, limit) =>
          Effect.map(
            redis.run((client) => client.xrange(stream, `(${after}-0`, "+", "COUNT", limit)),
            (entries) =>
              entries.map(([id, fields]) => {
                const { at, ...event } = decodeEntry(fields[1] as string)
                return { seq: seqOf(id), recordedAt: at, ...event }
              }),
          ),
      })
    }),
  )
}
