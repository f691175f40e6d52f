import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { BookCache } from "#src/books/BookCache.ts"
import { Books } from "#src/books/Books.ts"
import { type Quote, shardOf } from "#src/books/model.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { prepared, resyncs, runner, servicesAt } from "./runningShards.ts"

const flags = {
  "books.shards": "2",
  "books.top": "3",
  "books.audit": "500ms",
  "books.price-change-threshold": "0.001",
}

const same = (quote: Quote | undefined, shown: Quote | undefined) =>
  quote !== undefined && quote.bid === shown?.bid && quote.ask === shown.ask && quote.mid === shown.mid

layer(testFoundation(flags), { excludeTestServices: true })("Order books in two shards", (it) => {
  it.effect("requested books are followed live and equal the venue's", () =>
    Effect.gen(function* () {
      const { url, tokens, allFollowed, allExact, simulation } = yield* prepared(51, 8)
      assert.deepStrictEqual(new Set(tokens.map((token) => shardOf(token, 2))), new Set([0, 1]))
      yield* Effect.gen(function* () {
        const books = yield* Books
        const cache = yield* BookCache
        const rest = yield* ClobRest
        const first = tokens.slice(0, 6)
        yield* books.request(first)
        yield* allFollowed("the first are followed", first)
        assert.strictEqual((yield* cache.quotes(tokens)).size, first.length)
        yield* allExact("the first are exact", first)
        yield* books.request(tokens)
        yield* allFollowed("all are followed")
        simulation.advance(7_000)
        yield* allExact("all are exact")

        simulation.freeze()
        yield* allExact("all are exact at rest")
        simulation.freeze()
        const quotes = yield* books.quotes(tokens)
        const trades = yield* rest.lastTrades(tokens)
        for (const book of yield* rest.books(tokens)) {
          const quote = quotes.get(book.token)
          assert.deepStrictEqual([quote?.bid, quote?.ask], [book.bids[0]?.price ?? null, book.asks[0]?.price ?? null])
          assert.strictEqual(quote?.tickSize, book.tickSize)
          assert.strictEqual(quote?.lastTrade?.price, trades.get(book.token)?.price)
        }
        simulation.thaw()
      }).pipe(Effect.provide(runner), Effect.provide(servicesAt(url)))
    }),
  )

  it.effect(
    "books that no shard follows are read from the venue, and shards stop following books that are no longer requested",
    () =>
      Effect.gen(function* () {
        const { url, tokens, allFollowed, simulation } = yield* prepared(52, 4)
        yield* Effect.gen(function* () {
          const books = yield* Books
          const cache = yield* BookCache
          const redis = yield* Redis
          simulation.freeze()
          const fromVenue = yield* books.quotes([...tokens, "12345", "no token"])
          assert.sameMembers([...fromVenue.keys()], [...tokens])
          const book = yield* books.book(tokens[0] ?? "")
          assert.isTrue(Option.isSome(book) && book.value.bids.length > 0)
          assert.isTrue(Option.isNone(yield* books.book("no token")))
          assert.isEmpty(yield* cache.quotes(tokens))
          yield* Effect.gen(function* () {
            yield* books.request(tokens)
            yield* allFollowed("they are followed")
            const followed = yield* books.quotes(tokens)
            for (const token of tokens) assert.isTrue(same(followed.get(token), fromVenue.get(token)))
            const { booksOf } = keys(redis.prefix)
            const [expired = "", ...rest] = tokens
            const shard = shardOf(expired, 2)
            yield* redis.run((client) => client.zadd(booksOf(shard).wanted, 1, expired))
            yield* eventually(
              "the expired one is no longer followed",
              Effect.map(cache.quotes(tokens), (quotes) => !quotes.has(expired) && quotes.size === rest.length),
            )
            // Redis loses its data; the shards publish again.
            yield* redis.run((client) => client.del(booksOf(0).quotes, booksOf(0).depth, booksOf(1).quotes))
            yield* allFollowed("they are published again", rest)
          }).pipe(Effect.provide(runner))
        }).pipe(Effect.provide(servicesAt(url)))
      }),
  )

  it.effect("books recover within seconds from duplicate, out-of-order, broken and lost messages", () =>
    Effect.gen(function* () {
      const { url, tokens, allFollowed, allExact, fault, hits, clearFaults, simulation } = yield* prepared(53, 8)
      simulation.setRate(100)
      yield* Effect.gen(function* () {
        yield* Books.use((books) => books.request(tokens))
        yield* allFollowed("they are followed")
        for (const [kind, more, leadsTo] of [
          ["duplicate", { share: 0.5 }, []],
          // Harmless between two markets; within one market the book is soon resynced.
          ["reorder", { share: 0.5, delay_ms: 300 }, []],
          ["garbage", { share: 0.1 }, ["unreadable"]],
          ["truncated", { share: 0.1 }, ["unreadable"]],
          ["wrong_types", { share: 0.1 }, ["unreadable"]],
          ["disconnect", { share: 0.02 }, ["reconnect"]],
          ["clock_skew", { share: 0.2, skew_ms: 60_000 }, ["out-of-order"]],
          ["silent", {}, ["reconnect"]],
        ] as const) {
          const before = yield* resyncs(leadsTo)
          yield* fault(kind, more)
          const enough = kind === "silent" || kind === "disconnect" ? 1 : 10
          yield* eventually(
            `${kind} hits`,
            Effect.map(hits, (count) => count >= enough),
            "30 seconds",
          )
          yield* eventually(
            `${kind} is noticed`,
            Effect.map(resyncs(leadsTo), (count) => leadsTo.length === 0 || count > before),
            "30 seconds",
          )
          // With every connection silent, books can only be resynced repeatedly; they recover from the other faults meanwhile.
          if (kind === "silent") yield* clearFaults
          yield* allExact(`books recover from ${kind}`)
          yield* clearFaults
        }
      }).pipe(Effect.provide(runner), Effect.provide(servicesAt(url)))
    }),
  )

  it.effect(
    "after a restart books are followed again and price changes continue from the last announced midpoint",
    () =>
      Effect.gen(function* () {
        const { url, tokens, allFollowed, allExact, simulation } = yield* prepared(54, 8)
        yield* Effect.gen(function* () {
          const books = yield* Books
          const log = yield* EventLog
          const { sql } = yield* Postgres
          const changes = Effect.gen(function* () {
            const rows = yield* sql<{
              data: { token: string; bid: number; ask: number; mid: number; previous: number }
            }>`
            select data from event_log where kind = 'price_change' order by seq`
            return rows.map(({ data }) => data).filter(({ token }) => tokens.includes(token))
          })
          yield* books.request(tokens)
          const running = Effect.scoped(Effect.andThen(Layer.build(Layer.fresh(runner)), Effect.never))
          const first = yield* Effect.forkChild(running)
          yield* allFollowed("they are followed")
          simulation.setRate(100)
          yield* eventually(
            "prices move",
            Effect.map(changes, (found) => found.length > 20),
            "30 seconds",
          )
          yield* Fiber.interrupt(first)
          const before = (yield* changes).length
          simulation.advance(60_000)
          assert.strictEqual((yield* changes).length, before)
          yield* books.request(tokens)
          yield* Effect.gen(function* () {
            yield* allFollowed("they are followed again")
            yield* allExact("they are exact again")
            yield* eventually(
              "prices move again",
              Effect.map(changes, (found) => found.length > before + 20),
              "30 seconds",
            )
          }).pipe(Effect.provide(runner))

          const last = new Map<string, number>()
          for (const { token, bid, ask, mid, previous } of yield* changes) {
            assert.strictEqual(mid, Math.floor((bid + ask) / 2))
            assert.isAtLeast(Math.abs(mid - previous), 1_000)
            assert.strictEqual(previous, last.get(token) ?? previous)
            last.set(token, mid)
          }
          assert.isAbove(Number(yield* log.head), before)
          const times = yield* sql<{ token: string; gap: number | null }>`
          select data->>'token' as token, extract(epoch from min(recorded_at - before))::float8 as gap
          from (
            select data, recorded_at, lag(recorded_at) over (partition by data->>'token' order by seq) as before
            from event_log where kind = 'price_change'
          ) moves group by 1`
          for (const { gap } of times) if (gap !== null) assert.isAtLeast(gap, 0.999)
        }).pipe(Effect.provide(servicesAt(url)))
      }),
  )

  it.effect("shards are spread over processes and taken over when a process stops", () =>
    Effect.gen(function* () {
      const { url, tokens, allFollowed, allExact } = yield* prepared(55, 6)
      yield* Effect.gen(function* () {
        const books = yield* Books
        const { sql } = yield* Postgres
        const redis = yield* Redis
        yield* books.request(tokens)
        const start = Effect.forkChild(Effect.scoped(Effect.andThen(Layer.build(Layer.fresh(runner)), Effect.never)))
        const count = (expected: number) =>
          eventually(
            `${expected} runners`,
            // The first runner creates the table.
            sql`select 1 from cluster_runners`.pipe(
              Effect.map((rows) => rows.length === expected),
              Effect.orElseSucceed(() => false),
            ),
          )
        const { booksOf } = keys(redis.prefix)
        const epochs = redis.run((client) =>
          Promise.all([0, 1].map((shard) => client.hget(booksOf(shard).quotes, "epoch"))),
        )
        const old = yield* Effect.all([start, start])
        yield* count(2)
        yield* allFollowed("they are followed")
        const before = yield* epochs
        const third = yield* start
        yield* count(3)
        yield* Effect.forEach(old, Fiber.interrupt)
        yield* eventually(
          "every shard has a new process",
          Effect.map(epochs, (now) => now.every((epoch, shard) => epoch !== null && epoch !== before[shard])),
          "30 seconds",
        )
        yield* allFollowed("the third process follows them")
        yield* allExact("they are exact")
        yield* Fiber.interrupt(third)
      }).pipe(Effect.provide(servicesAt(url)))
    }),
  )
})
