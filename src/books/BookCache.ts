import { readFileSync } from "node:fs"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis, type RedisFailure } from "#src/platform/redis/Redis.ts"
import { Depth, isToken, PublishedBook, Quote, shardOf } from "./model.ts"
import type { Publishable } from "./Publication.ts"
import { booksShards, booksTail } from "./settings.ts"

/** A newer copy of the shard has written: this one has been replaced. */
export class ShardReplaced extends Schema.TaggedError<ShardReplaced>()("ShardReplaced", { shard: Schema.Int }) {}

/** What a shard tells at once. */
export interface PublishRequest {
  readonly epoch: bigint
  /** Counts what the shard has told in this epoch. */
  readonly number: number
  readonly books: ReadonlyArray<Publishable>
}

const requestMillis = 60_000
/** What a shard shows holds for this long after it was last heard of. */
export const staleMillis = 10_000
const expiryMillis = 60_000

const publishBooks = readFileSync(new URL("./lua/publishBooks.lua", import.meta.url), "utf8")
const decodeQuote = Schema.decodeUnknownOption(Schema.fromJsonString(Quote))
const decodeDepth = Schema.decodeUnknownOption(Schema.fromJsonString(Depth))
const decodePublished = Schema.decodeUnknownOption(Schema.fromJsonString(PublishedBook))

/** Whole books that are read with one command: more would keep Redis from others for too long. */
const booksPerRead = 200
const jsonOf = (value: unknown) => (value === undefined ? "" : JSON.stringify(value))

const groupByShard = (tokens: Iterable<string>, shards: number): ReadonlyMap<number, ReadonlyArray<string>> => {
  const groups = new Map<number, Array<string>>()
  for (const token of new Set(tokens)) {
    if (!isToken(token)) continue
    const shard = shardOf(token, shards)
    const group = groups.get(shard)
    if (group === undefined) groups.set(shard, [token])
    else group.push(token)
  }
  return groups
}

/** What the shards and everybody else tell each other about books, in Redis. */
export class BookCache extends Context.Service<
  BookCache,
  {
    /** Somebody is interested in these for the next minute. */
    readonly request: (tokens: Iterable<string>) => Effect.Effect<void, RedisFailure>
    /** Which tokens are wanted, and until when; what is over is told a last time. */
    readonly wanted: (shard: number) => Effect.Effect<ReadonlyMap<string, number>, RedisFailure>
    /** Tells whether what was there before is lost, or part of it, so that everything has to be shown again. */
    readonly publish: (shard: number, what: PublishRequest) => Effect.Effect<boolean, RedisFailure | ShardReplaced>
    /** Of those that are kept and up to date. */
    readonly quotes: (tokens: Iterable<string>) => Effect.Effect<ReadonlyMap<string, Quote>, RedisFailure>
    readonly depth: (token: string) => Effect.Effect<Option.Option<Depth>, RedisFailure>
    /** Whole books, to be changed by what their shard tells from then on. */
    readonly fullBooks: (tokens: Iterable<string>) => Effect.Effect<ReadonlyMap<string, PublishedBook>, RedisFailure>
    /** All tokens whose books are kept. */
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
      const isStale = (at: string | null | undefined, now: number) => now - Number(at ?? 0) > staleMillis

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

        wanted: (shard) =>
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

        publish: (shard, { epoch, number, books }) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const { quotes, depth, changes } = booksOf(shard)
            const told = books.flatMap(({ token, shown, change }) => [
              token,
              jsonOf(shown?.quote),
              jsonOf(shown?.book),
              jsonOf(change),
            ])
            const options = [String(epoch), now, expiryMillis, config.get(booksTail), number]
            const done = yield* redis.run((client) =>
              client.eval(publishBooks, 3, quotes, depth, changes, ...options, ...told),
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
                  texts.forEach((text, place) => {
                    const quote = decodeQuote(text)
                    if (Option.isSome(quote)) found.set(group[place] as string, quote.value)
                  })
                }),
              )
              return found
            }),
          ),

        depth: (token) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            redis.run(async (client) => {
              const { quotes, depth } = booksOf(shardOf(token, shards))
              const [at, text] = await Promise.all([client.hget(quotes, "at"), client.hget(depth, token)])
              return isStale(at, now) ? Option.none() : decodeDepth(text)
            }),
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
                  texts.forEach((text, place) => {
                    const book = decodePublished(text)
                    if (Option.isSome(book)) found.set(part[place] as string, book.value)
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
