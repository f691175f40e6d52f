import { Context, Effect, Layer } from "effect"
import { type Coin, type Tick, type TickSource, tickId } from "#src/domain/Tick.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis, type RedisClient, RedisFailure } from "#src/platform/redis/Redis.ts"
import { ticksTail } from "./settings.ts"

/** Redis takes only ids above those it has, so one that is older than the newest is refused. */
const isOlder = (error: Error) => error.message.includes("equal or smaller")

type Entry = readonly [string, ReadonlyArray<string>]

/** How long a reader waits for the next tick before it asks again. */
const waitMillis = 1000
/** Above the number of any feed, so that what was read at a moment is not read again. */
const lastOfMoment = "4294967295"

/** Up to where a feed has been read, in milliseconds. */
export interface Position {
  readonly source: TickSource
  readonly coin: Coin
  readonly position: number
}

const readTick = (coin: Coin, [id, fields]: Entry): Tick & { readonly id: string } => {
  const [price, bid, ask] = [fields[1], fields[3], fields[5]].map((text) => BigInt(text ?? "0")) as [
    bigint,
    bigint,
    bigint,
  ]
  return { id, coin, at: Number(id.slice(0, id.indexOf("-"))), price, bid, ask }
}

/**
 * The live ticks in Redis: a capped stream of each coin and source, whose entry ids are the ticks' ids. Nothing fences
 * it, for two writers of one source say the same under the same ids, and whoever is late is refused.
 */
export class TickTail extends Context.Service<
  TickTail,
  {
    /** Those newer than the newest there, oldest first; returns how many these were. */
    readonly publish: (source: TickSource, ticks: ReadonlyArray<Tick>) => Effect.Effect<number, RedisFailure>
    /** Ticks after the one with this id; from the beginning for "0". */
    readonly read: (
      source: TickSource,
      coin: Coin,
      after: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Tick & { readonly id: string }>, RedisFailure>
    /** Waits a moment for ticks after these positions, on a connection of one's own; those of a feed are in order. */
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
            const answers = yield* redis.run((client) => {
              const pipeline = client.pipeline()
              const most = config.get(ticksTail)
              for (const tick of ticks.toSorted((a, b) => a.at - b.at)) {
                const { price, bid, ask } = tick
                const fields = ["price", String(price), "bid", String(bid), "ask", String(ask)]
                pipeline.xadd(streamOf(tick.coin, source), "MAXLEN", "~", most, tickId(source, tick), ...fields)
              }
              return pipeline.exec()
            })
            const failures = (answers ?? []).flatMap(([error]) => (error === null ? [] : [error]))
            const failure = failures.find((error) => !isOlder(error))
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
                  waitMillis,
                  "STREAMS",
                  ...positions.map(({ coin, source }) => streamOf(coin, source)),
                  ...positions.map(({ position }) => `${position}-${lastOfMoment}`),
                ) as Promise<ReadonlyArray<[string, ReadonlyArray<Entry>]> | null>,
              catch: (cause) => new RedisFailure({ cause }),
            }),
            (answer) => {
              const feeds = new Map(positions.map((each) => [streamOf(each.coin, each.source), each]))
              return (answer ?? []).flatMap(([stream, entries]) => {
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
