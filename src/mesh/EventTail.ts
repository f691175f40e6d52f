import { readFileSync } from "node:fs"
import { Context, Effect, Layer, Schema } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis, type RedisClient, RedisFailure } from "#src/platform/redis/Redis.ts"
import { EventLog, type LoggedEvent } from "./EventLog.ts"
import { keys } from "./Keys.ts"
import { eventLogTail } from "./settings.ts"

/** A newer relay has written to the tail, so this one has been replaced. */
export class RelayReplaced extends Schema.TaggedError<RelayReplaced>()("RelayReplaced", {}) {}

/** An event as stored in Redis. The entry's id is its `seq`; `prev` is the seq of the event before it in the log. */
interface EventText {
  readonly at: number
  readonly kind: string
  readonly ref: string | null
  readonly sub: number | null
  readonly data: unknown
  readonly prev: string
}

// Encoded without a schema: every event passes here, and only the relay writes this stream.
const encodeEntry = ({ recordedAt: at, kind, ref, sub, data }: LoggedEvent, prev: bigint): string =>
  JSON.stringify({
    at,
    kind,
    ref: ref === null ? null : String(ref),
    sub,
    data,
    prev: String(prev),
  } satisfies EventText)

const decodeEntry = (seq: bigint, text: string): { readonly event: LoggedEvent; readonly previous: bigint } => {
  const { at: recordedAt, kind, ref, sub, data, prev }: EventText = JSON.parse(text)
  return { event: { seq, recordedAt, kind, ref: ref === null ? null : BigInt(ref), sub, data }, previous: BigInt(prev) }
}

const pushEvents = readFileSync(new URL("./lua/pushEvents.lua", import.meta.url), "utf8")

/** Consecutive events and the seq of the event before them. Sequence numbers may have holes. */
export interface TailPart {
  readonly previous: bigint
  readonly events: ReadonlyArray<LoggedEvent>
}

type Entry = readonly [id: string, fields: ReadonlyArray<string>]

/** Events per read, at most. */
export const mostAtOnce = 1000
const waitMillis = 1000

/** The newest part of the event log, in Redis, for live fan-out and short replay. The relay refills a lost tail. */
export class EventTail extends Context.Service<
  EventTail,
  {
    /** Seq of the newest event in the tail, 0 when it is empty or the tail of another log. */
    readonly last: Effect.Effect<bigint, RedisFailure>
    /** Number of events in the tail. */
    readonly length: Effect.Effect<number, RedisFailure>
    /**
     * Appends events; returns whether `after` was the last seq. Refuses a relay with an older epoch. `previous` is the seq
     * before the first event, where that event is not in the tail.
     */
    readonly push: (options: {
      readonly epoch: bigint
      readonly after: bigint
      readonly previous?: bigint
      readonly events: ReadonlyArray<LoggedEvent>
    }) => Effect.Effect<boolean, RedisFailure | RelayReplaced>
    readonly read: (after: bigint, limit: number) => Effect.Effect<ReadonlyArray<LoggedEvent>, RedisFailure>
    /** Waits up to a second for events after a seq, on a dedicated connection; undefined when none arrived. */
    readonly next: (reader: RedisClient, after: bigint) => Effect.Effect<TailPart | undefined, RedisFailure>
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
      const decoded = ([id, fields]: Entry) => decodeEntry(seqOf(id), fields[1] as string)

      return EventTail.of({
        last: redis.run(async (client) => {
          const [owner, [newest]] = await Promise.all([
            client.hget(eventsOwner, "log"),
            client.xrevrange(stream, "+", "-", "COUNT", 1),
          ])
          return owner === identity && newest !== undefined ? seqOf(newest[0]) : 0n
        }),
        length: redis.run((client) => client.xlen(stream)),
        push: ({ epoch, after, previous = after, events }) =>
          Effect.flatMap(
            redis.run((client) => {
              const before = (index: number) => events[index - 1]?.seq ?? previous
              const pairs = events.flatMap((event, index) => [String(event.seq), encodeEntry(event, before(index))])
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
            (entries) => entries.map((entry) => decoded(entry).event),
          ),
        next: (reader, after) =>
          Effect.map(
            Effect.tryPromise({
              try: () =>
                reader.xread(
                  "COUNT",
                  mostAtOnce,
                  "BLOCK",
                  waitMillis,
                  "STREAMS",
                  stream,
                  `${after}-0`,
                ) as Promise<ReadonlyArray<[string, ReadonlyArray<Entry>]> | null>,
              catch: (cause) => new RedisFailure({ cause }),
            }),
            (answer) => {
              const part = (answer?.[0]?.[1] ?? []).map(decoded)
              const [first] = part
              return first && { previous: first.previous, events: part.map(({ event }) => event) }
            },
          ),
      })
    }),
  )
}
