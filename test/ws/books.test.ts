import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { shardOf } from "#src/books/model.ts"
import { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { showDecimal } from "#src/upstream/clob/decimal.ts"
import { busyMarkets } from "#test/books/busyMarkets.ts"
import { prepared, runner, servicesAt } from "#test/books/keptBooks.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { makeBookChannel } from "#ws/books/BookChannel.ts"
import { BookFollower } from "./support/bookFollower.ts"
import { list } from "./support/listings.ts"
import { makeRoom } from "./support/recorder.ts"

const flags = { "books.shards": "2", "books.top": "0", "books.audit": "500ms" }
const marketCount = process.env["PRESAGE_SOAK"] === undefined ? 5 : 60
const tradesAwaited = process.env["PRESAGE_SOAK"] === undefined ? 20 : 2_000

interface VenueTrade {
  readonly asset_id: string
  readonly transaction_hash: string
}

/** All trades of these that the venue tells of, heard on a connection of our own. */
const tradesHeard = (url: string, tokens: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const heard: Array<VenueTrade> = []
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => new WebSocket(`${url.replace("http", "ws")}/clob/ws/market`)),
      (open) => Effect.sync(() => open.close()),
    )
    let answers = 0
    socket.onopen = () => socket.send(JSON.stringify({ type: "market", assets_ids: tokens }))
    socket.onmessage = ({ data }) => {
      answers++
      if (typeof data !== "string" || !/^[[{]/.test(data)) return
      for (const event of [JSON.parse(data)].flat()) if (event.event_type === "last_trade_price") heard.push(event)
    }
    yield* eventually(
      "the venue answers",
      Effect.sync(() => answers > 0),
    )
    return heard
  })

const texts = (levels: ReadonlyArray<{ price: number; size: number }>) =>
  levels.map(({ price, size }) => ({ price: showDecimal(price), size: showDecimal(size) }))

/** The venue, its markets in the catalogue, and a channel with one that listens to all of them. */
const opened = (seed: number) =>
  Effect.gen(function* () {
    const venue = yield* prepared(seed, marketCount)
    const { simulation, tokens } = venue
    const services = Layer.merge(servicesAt(venue.url), MarketLookup.layer)
    const listed = busyMarkets(simulation, marketCount).map((market, place) => ({
      id: seed * 1_000 + place,
      slug: market.plan.slug,
      event: `${market.event.plan.slug}-${seed}`,
      condition: market.conditionId,
      tokens: market.tokens.map((token) => simulation.made.world.venue.tokens[token]?.id ?? ""),
    }))
    const room = makeRoom()
    const follows = (follower: BookFollower, what: string) =>
      Effect.gen(function* () {
        const rest = yield* ClobRest
        simulation.freeze()
        const shown = yield* rest.books(tokens)
        assert.lengthOf(shown, tokens.length)
        const isSame = Effect.sync(() => {
          follower.follow()
          return shown.every(
            ({ token, bids, asks }) =>
              !follower.stale.has(token) &&
              JSON.stringify([follower.bids(token), follower.asks(token)]) ===
                JSON.stringify([texts(bids), texts(asks)]),
          )
        })
        yield* eventually(what, isSame, "30 seconds")
        simulation.thaw()
      })
    const hearsTrades = (follower: BookFollower, count: number) => {
      const before = follower.trades.length
      return eventually(
        `${count} trades`,
        Effect.sync(() => {
          simulation.advance(200)
          follower.follow()
          return follower.trades.length >= before + count
        }),
        "60 seconds",
      )
    }
    return { ...venue, services, listed, room, follows, hearsTrades }
  })

const subscribe = (markets: ReadonlyArray<string>) => ({ action: "subscribe", type: "orderbook", markets }) as const

const start = Effect.forkChild(Effect.scoped(Effect.andThen(Layer.build(Layer.fresh(runner)), Effect.never)))

layer(testFoundation(flags), { excludeTestServices: true })("Who listens to order books", (it) => {
  it.effect("has those of the venue, and every trade once, also when behind or when Redis loses everything", () =>
    Effect.gen(function* () {
      const { url, tokens, simulation, services, listed, room, follows, hearsTrades } = yield* opened(61)
      assert.deepStrictEqual(new Set(tokens.map((token) => shardOf(token, 2))), new Set([0, 1]))
      yield* Effect.gen(function* () {
        yield* list(listed)
        const channel = yield* makeBookChannel(room.publisher)
        const venue = yield* tradesHeard(url, tokens)
        const follower = new BookFollower(room.recorder())
        const slow = new BookFollower(room.recorder())
        simulation.setRate(100)
        const running = yield* start
        yield* channel.subscribe(follower.recorder, subscribe(listed.map(({ slug }) => slug)))
        yield* channel.subscribe(slow.recorder, subscribe(listed.map(({ condition }) => condition)))
        yield* hearsTrades(follower, tradesAwaited)
        for (const each of [follower, slow]) yield* follows(each, "both have the venue's books")
        assert.isAbove(follower.counts.updates, 0)

        slow.recorder.isBehind = true
        channel.pause(slow.recorder)
        yield* hearsTrades(follower, 5)
        slow.recorder.isBehind = false
        channel.readable(slow.recorder)
        yield* follows(slow, "the slow one has them again")
        assert.isAbove(slow.counts.gaps, 0)

        const redis = yield* Redis
        const { booksOf } = keys(redis.prefix)
        yield* redis.run((client) => client.del(...[0, 1].flatMap((shard) => Object.values(booksOf(shard)))))
        yield* hearsTrades(follower, tradesAwaited)
        for (const each of [follower, slow]) yield* follows(each, "both have them after the loss")
        assert.deepStrictEqual([follower.counts.missing, slow.counts.missing], [0, 0])

        // From its first trade of a token on, the follower has all that the venue told, or was told that some are missing.
        simulation.freeze()
        const hashes = (trades: ReadonlyArray<{ asset_id: string; transaction_hash: string | null }>, token: string) =>
          trades.flatMap(({ asset_id, transaction_hash }) => (asset_id === token ? [transaction_hash] : []))
        const missing = (token: string) => {
          const own = hashes(follower.trades, token)
          const told = hashes(venue, token)
          const since = told.slice(told.indexOf(own[0] ?? ""))
          assert.deepStrictEqual(
            since.filter((hash) => own.includes(hash)),
            own,
          )
          return own.length === 0 ? 0 : since.length - own.length
        }
        yield* eventually(
          "no trade is missing without a word",
          Effect.sync(() => {
            follower.follow()
            return follower.counts.gaps > 0 || tokens.every((token) => missing(token) === 0)
          }),
        )
        const all = follower.trades.map(({ asset_id, transaction_hash }) => `${asset_id} ${transaction_hash}`)
        assert.strictEqual(new Set(all).size, all.length)
        yield* Fiber.interrupt(running)
      }).pipe(Effect.provide(services))
    }),
  )

  it.effect("is led from one shard to the next, and to the books of the new one", () =>
    Effect.gen(function* () {
      const { tokens, simulation, services, listed, room, follows, hearsTrades } = yield* opened(62)
      yield* Effect.gen(function* () {
        yield* list(listed)
        const channel = yield* makeBookChannel(room.publisher)
        const follower = new BookFollower(room.recorder())
        const first = yield* start
        yield* channel.subscribe(follower.recorder, {
          action: "subscribe",
          type: "orderbook",
          token_ids: tokens,
        })
        yield* follows(follower, "the venue's books")
        const epochs = () => tokens.map((token) => follower.books.get(token)?.epoch)
        const before = epochs()
        yield* Fiber.interrupt(first)
        simulation.advance(60_000)
        const second = yield* start
        simulation.setRate(100)
        yield* hearsTrades(follower, 5)
        yield* follows(follower, "the venue's books from the next shard")
        assert.isTrue(epochs().every((epoch, place) => epoch !== before[place]))
        assert.isAbove(follower.counts.gaps, 0)
        assert.strictEqual(follower.counts.missing, 0)
        yield* Fiber.interrupt(second)
      }).pipe(Effect.provide(services))
    }),
  )
})
