import { readFileSync } from "node:fs"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis, type RedisFailure } from "#src/platform/redis/Redis.ts"
import { Depth, isToken, PublishedBook, Quote, shardOf } from "./model.ts"
import type { Publishable } from "./Publication.ts"
import { booksShards, booksTail } from "./settings.ts"

/** A newer process of the shard has published: it has replaced this one. */
export class ShardReplaced extends Schema.TaggedError<ShardReplaced>()("ShardReplaced", { shard: Schema.Int }) {}

/** A book, and when its shard last heard of the venue. */
export interface PublishedDepth {
  readonly depth: Depth
  readonly at: number
}

/** One publication of a shard. */
export interface PublishRequest {
  readonly epoch: bigint
  /** Counts the publications of the epoch. */
  readonly number: number
  /** When the venue was last heard. */
  readonly heardAt: number
  readonly books: ReadonlyArray<Publishable>
}

const requestMillis = 60_000
/** The books of a shard are valid for this long after it last heard of the venue. */
export const staleMillis = 10_000
const expiryMillis = 60_000

const publishBooks = readFileSync(new URL("./lua/publishBooks.lua", import.meta.url), "utf8")
const decodeQuote = Schema.decodeUnknownOption(Schema.fromJsonString(Quote))
const decodeDepth = Schema.decodeUnknownOption(Schema.fromJsonString(Depth))
const decodePublished = Schema.decodeUnknownOption(Schema.fromJsonString(PublishedBook))

/** Full books per command: more would block Redis for too long. */
const booksPerRead = 200
const jsonOf = (value: unknown) => (value === undefined ? "" : JSON.stringify(value))

const groupByShard = (tokens: Iterable<string>, shards: number): ReadonlyMap<number, ReadonlyArray<string>> =>
  Map.groupBy([...new Set(tokens)].filter(isToken), (token) => shardOf(token, shards))

/** Redis state shared by the shards and the readers of books. */
export class BookCache extends Context.Service<
  BookCache,
  {
    /** Requests the books of these tokens for the next minute. */
    readonly request: (tokens: Iterable<string>) => Effect.Effect<void, RedisFailure>
    /** Requested tokens and when the requests expire; expired ones are returned once more. */
    readonly requested: (shard: number) => Effect.Effect<ReadonlyMap<string, number>, RedisFailure>
    /** Returns whether earlier publications were lost, so that everything has to be published again. */
    readonly publish: (shard: number, request: PublishRequest) => Effect.Effect<boolean, RedisFailure | ShardReplaced>
    /** Tokens without an up-to-date book are left out. */
    readonly quotes: (tokens: Iterable<string>) => Effect.Effect<ReadonlyMap<string, Quote>, RedisFailure>
    readonly depth: (token: string) => Effect.Effect<Option.Option<Depth>, RedisFailure>
    /** The book as last published, however long ago. */
    readonly lastDepth: (token: string) => Effect.Effect<Option.Option<PublishedDepth>, RedisFailure>
    /** Full books, to be updated with the later changes of their shard. */
    readonly fullBooks: (tokens: Iterable<string>) => Effect.Effect<ReadonlyMap<string, PublishedBook>, RedisFailure>
    /** All tokens with a book. */
    readonly heldTokens: Effect.Effect<ReadonlyArray<string>, RedisFailure>
  }
>()("presage/books/BookCache") {
  static readonly layer = Layer.effect(
    BookCache,
    Effect.gen(function* () {
      const redis = yield* Redis
      const config = yield* Configuration
      const { booksOf } = keys(redis.prefix)
      const shards = config.get(booksShards)
      const isStale = (at: string | number | null | undefined, now: number) => now - Number(at ?? 0) > staleMillis

      const lastDepth = (token: string) =>
        redis.run(async (client) => {
          const { quotes, depth } = booksOf(shardOf(token, shards))
          const [at, text] = await Promise.all([client.hget(quotes, "at"), client.hget(depth, token)])
          return Option.map(decodeDepth(text), (found) => ({ depth: found, at: Number(at ?? 0) }))
        })

      return BookCache.of({
        request: (tokens) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            redis.run(async (client) => {
              await Promise.all(
                [...groupByShard(tokens, shards)].map(([shard, group]) =>
                  client.zadd(booksOf(shard).wanted, ...group.flatMap((token) => [String(now + requestMillis), token])),
                ),
              )
            }),
          ),

        requested: (shard) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            redis.run(async (client) => {
              const { wanted } = booksOf(shard)
              const pairs = await client.zrange(wanted, 0, "-1", "WITHSCORES")
              await client.zremrangebyscore(wanted, "-inf", String(now))
              const until = new Map<string, number>()
              for (let at = 0; at + 1 < pairs.length; at += 2) until.set(pairs[at] as string, Number(pairs[at + 1]))
              return until
            }),
          ),

        publish: (shard, { epoch, number, heardAt, books }) =>
          Effect.gen(function* () {
            const { quotes, depth, changes } = booksOf(shard)
            const fields = books.flatMap(({ token, shown, change }) => [
              token,
              jsonOf(shown?.quote),
              jsonOf(shown?.book),
              jsonOf(change),
            ])
            const options = [String(epoch), heardAt, expiryMillis, config.get(booksTail), number]
            const done = yield* redis.run((client) =>
              client.eval(publishBooks, 3, quotes, depth, changes, ...options, ...fields),
            )
            if (done === -1) return yield* new ShardReplaced({ shard })
            return done === 1
          }),

        quotes: (tokens) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            redis.run(async (client) => {
              const found = new Map<string, Quote>()
              await Promise.all(
                [...groupByShard(tokens, shards)].map(async ([shard, group]) => {
                  const [at, ...texts] = await client.hmget(booksOf(shard).quotes, "at", ...group)
                  if (isStale(at, now)) return
                  texts.forEach((text, index) => {
                    const quote = decodeQuote(text)
                    if (Option.isSome(quote)) found.set(group[index] as string, quote.value)
                  })
                }),
              )
              return found
            }),
          ),

        lastDepth,

        depth: (token) =>
          Effect.map(Effect.all([lastDepth(token), Clock.currentTimeMillis]), ([found, now]) =>
            Option.map(
              Option.filter(found, ({ at }) => !isStale(at, now)),
              ({ depth }) => depth,
            ),
          ),

        fullBooks: (tokens) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            redis.run(async (client) => {
              const found = new Map<string, PublishedBook>()
              for (const [shard, group] of groupByShard(tokens, shards)) {
                const { quotes, depth } = booksOf(shard)
                if (isStale(await client.hget(quotes, "at"), now)) continue
                for (let from = 0; from < group.length; from += booksPerRead) {
                  const part = group.slice(from, from + booksPerRead)
                  const texts = await client.hmget(depth, ...part)
                  texts.forEach((text, index) => {
                    const book = decodePublished(text)
                    if (Option.isSome(book)) found.set(part[index] as string, book.value)
                  })
                }
              }
              return found
            }),
          ),

        heldTokens: redis.run(async (client) => {
          const all = await Promise.all(
            Array.from({ length: shards }, (_, shard) => client.hkeys(booksOf(shard).depth)),
          )
          return all.flat().filter(isToken)
        }),
      })
    }),
  )
}
