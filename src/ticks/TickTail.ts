import { Context, Effect, Layer } from "effect"
import { type FinePrice, finePrice } from "#src/domain/amounts.ts"
import { type Coin, type Tick, type TickSource, tickId } from "#src/domain/Tick.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis, type RedisClient, RedisFailure } from "#src/platform/redis/Redis.ts"
import { ticksTail } from "./settings.ts"

/** Redis rejects an entry id that is not above the newest one. */
const isOlderThanNewest = (error: Error) => error.message.includes("equal or smaller")

type Entry = readonly [string, ReadonlyArray<string>]

/** Blocking time of one read. */
const blockMillis = 1000
/** Above the sequence of any feed, so that a read skips all ticks of the given millisecond. */
const maxSequence = "4294967295"

/** Read position of a feed, in milliseconds. */
export interface Position {
  readonly source: TickSource
  readonly coin: Coin
  readonly position: number
}

const readTick = (coin: Coin, [id, fields]: Entry): Tick & { readonly id: string } => {
  const [price, bid, ask] = [fields[1], fields[3], fields[5]].map((text) => finePrice(BigInt(text ?? "0"))) as [
    FinePrice,
    FinePrice,
    FinePrice,
  ]
  return { id, coin, at: Number(id.slice(0, id.indexOf("-"))), price, bid, ask }
}

/**
 * Live ticks in Redis: a capped stream per coin and source, with tick ids as entry ids. It needs no fence: two writers
 * of one source publish the same ticks under the same ids, and Redis rejects the later one.
 */
export class TickTail extends Context.Service<
  TickTail,
  {
    /** Publishes the ticks newer than the newest in the stream, oldest first; returns their number. */
    readonly publish: (source: TickSource, ticks: ReadonlyArray<Tick>) => Effect.Effect<number, RedisFailure>
    /** Ticks after this id; "0" reads from the start. */
    readonly read: (
      source: TickSource,
      coin: Coin,
      after: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Tick & { readonly id: string }>, RedisFailure>
    /** Waits up to a second for ticks after these positions, on a dedicated connection; each feed is in order. */
    readonly next: (
      reader: RedisClient,
      positions: ReadonlyArray<Position>,
    ) => Effect.Effect<ReadonlyArray<Tick & { readonly id: string; readonly source: TickSource }>, RedisFailure>
  }
>()("presage/ticks/TickTail") {
  static readonly layer = Layer.effect(
    TickTail,
    Effect.gen(function* () {
      const redis = yield* Redis
      const config = yield* Configuration
      const { ticks: streamOf } = keys(redis.prefix)

      return TickTail.of({
        publish: (source, ticks) =>
          Effect.gen(function* () {
            if (ticks.length === 0) return 0
            const replies = yield* redis.run((client) => {
              const pipeline = client.pipeline()
              const maxLength = config.get(ticksTail)
              for (const tick of ticks.toSorted((a, b) => a.at - b.at)) {
                const { price, bid, ask } = tick
                const fields = ["price", String(price), "bid", String(bid), "ask", String(ask)]
                pipeline.xadd(streamOf(tick.coin, source), "MAXLEN", "~", maxLength, tickId(source, tick), ...fields)
              }
              return pipeline.exec()
            })
            const failures = (replies ?? []).flatMap(([error]) => (error === null ? [] : [error]))
            const failure = failures.find((error) => !isOlderThanNewest(error))
            if (failure !== undefined) return yield* new RedisFailure({ cause: failure })
            return ticks.length - failures.length
          }),
        read: (source, coin, after, limit) =>
          Effect.map(
            redis.run((client) =>
              client.xrange(streamOf(coin, source), after === "0" ? "-" : `(${after}`, "+", "COUNT", limit),
            ),
            (entries) => entries.map((entry) => readTick(coin, entry)),
          ),
        next: (reader, positions) =>
          Effect.map(
            Effect.tryPromise({
              try: () =>
                reader.xread(
                  "BLOCK",
                  blockMillis,
                  "STREAMS",
                  ...positions.map(({ coin, source }) => streamOf(coin, source)),
                  ...positions.map(({ position }) => `${position}-${maxSequence}`),
                ) as Promise<ReadonlyArray<[string, ReadonlyArray<Entry>]> | null>,
              catch: (cause) => new RedisFailure({ cause }),
            }),
            (reply) => {
              const feeds = new Map(positions.map((each) => [streamOf(each.coin, each.source), each]))
              return (reply ?? []).flatMap(([stream, entries]) => {
                const feed = feeds.get(stream)
                return feed === undefined
                  ? []
                  : entries.map((entry) => ({ ...readTick(feed.coin, entry), source: feed.source }))
              })
            },
          ),
      })
    }),
  )
}
