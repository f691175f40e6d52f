import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { shardOf } from "#src/books/model.ts"
import { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { showDecimal } from "#src/upstream/clob/decimal.ts"
import { busyMarkets } from "#test/books/busyMarkets.ts"
import { prepared, runner, servicesAt } from "#test/books/runningShards.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { makeBookChannel } from "#ws/books/BookChannel.ts"
import { BookClient } from "./support/bookClient.ts"
import { list } from "./support/listings.ts"
import { makeRecorders } from "./support/recordingSubscriber.ts"

const flags = { "books.shards": "2", "books.top": "0", "books.audit": "500ms" }
const marketCount = process.env["PRESAGE_SOAK"] === undefined ? 5 : 60
const tradesExpected = process.env["PRESAGE_SOAK"] === undefined ? 20 : 2_000

interface VenueTrade {
  readonly asset_id: string
  readonly transaction_hash: string
}

/** All trades that the venue publishes for these tokens, received on a separate connection. */
const venueTrades = (url: string, tokens: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const received: Array<VenueTrade> = []
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => new WebSocket(`${url.replace("http", "ws")}/clob/ws/market`)),
      (open) => Effect.sync(() => open.close()),
    )
    let answers = 0
    socket.onopen = () => socket.send(JSON.stringify({ type: "market", assets_ids: tokens }))
    socket.onmessage = ({ data }) => {
      answers++
      if (typeof data !== "string" || !/^[[{]/.test(data)) return
      for (const event of [JSON.parse(data)].flat()) if (event.event_type === "last_trade_price") received.push(event)
    }
    yield* eventually(
      "the venue answers",
      Effect.sync(() => answers > 0),
    )
    return received
  })

const texts = (levels: ReadonlyArray<{ price: number; size: number }>) =>
  levels.map(({ price, size }) => ({ price: showDecimal(price), size: showDecimal(size) }))

/** The venue, its markets in the catalogue, and subscribers of a channel. */
const opened = (seed: number) =>
  Effect.gen(function* () {
    const venue = yield* prepared(seed, marketCount)
    const { simulation, tokens } = venue
    const services = Layer.merge(servicesAt(venue.url), MarketLookup.layer)
    const listed = busyMarkets(simulation, marketCount).map((market, index) => ({
      id: seed * 1_000 + index,
      slug: market.plan.slug,
      event: `${market.event.plan.slug}-${seed}`,
      condition: market.conditionId,
      tokens: market.tokens.map((token) => simulation.model.world.venue.tokens[token]?.id ?? ""),
    }))
    const recorders = makeRecorders()
    const reachesVenue = (client: BookClient, what: string) =>
      Effect.gen(function* () {
        const rest = yield* ClobRest
        simulation.freeze()
        const shown = yield* rest.books(tokens)
        assert.lengthOf(shown, tokens.length)
        const isSame = Effect.sync(() => {
          client.applyAll()
          return shown.every(
            ({ token, bids, asks }) =>
              !client.stale.has(token) &&
              JSON.stringify([client.bids(token), client.asks(token)]) === JSON.stringify([texts(bids), texts(asks)]),
          )
        })
        yield* eventually(what, isSame, "30 seconds")
        simulation.thaw()
      })
    const receivesTrades = (client: BookClient, count: number) => {
      const before = client.trades.length
      return eventually(
        `${count} trades`,
        Effect.sync(() => {
          simulation.advance(200)
          client.applyAll()
          return client.trades.length >= before + count
        }),
        "60 seconds",
      )
    }
    return { ...venue, services, listed, recorders, reachesVenue, receivesTrades }
  })

const subscribe = (markets: ReadonlyArray<string>) => ({ action: "subscribe", type: "orderbook", markets }) as const

const start = Effect.forkChild(Effect.scoped(Effect.andThen(Layer.build(Layer.fresh(runner)), Effect.never)))

layer(testFoundation(flags), { excludeTestServices: true })("BookChannel with real shards", (it) => {
  it.effect(
    "subscribers have the venue's books and every trade once, also after falling behind or a loss of Redis",
    () =>
      Effect.gen(function* () {
        const { url, tokens, simulation, services, listed, recorders, reachesVenue, receivesTrades } = yield* opened(61)
        assert.deepStrictEqual(new Set(tokens.map((token) => shardOf(token, 2))), new Set([0, 1]))
        yield* Effect.gen(function* () {
          yield* list(listed)
          const channel = yield* makeBookChannel(recorders.publisher)
          const venue = yield* venueTrades(url, tokens)
          const client = new BookClient(recorders.recorder())
          const slow = new BookClient(recorders.recorder())
          simulation.setRate(100)
          const running = yield* start
          yield* channel.subscribe(client.recorder, subscribe(listed.map(({ slug }) => slug)))
          yield* channel.subscribe(slow.recorder, subscribe(listed.map(({ condition }) => condition)))
          yield* receivesTrades(client, tradesExpected)
          for (const each of [client, slow]) yield* reachesVenue(each, "both have the venue's books")
          assert.isAbove(client.counts.updates, 0)

          slow.recorder.isBehind = true
          channel.pause(slow.recorder)
          yield* receivesTrades(client, 5)
          slow.recorder.isBehind = false
          channel.readable(slow.recorder)
          yield* reachesVenue(slow, "the slow client has the books again")
          assert.isAbove(slow.counts.gaps, 0)

          const redis = yield* Redis
          const { booksOf } = keys(redis.prefix)
          yield* redis.run((client) => client.del(...[0, 1].flatMap((shard) => Object.values(booksOf(shard)))))
          yield* receivesTrades(client, tradesExpected)
          for (const each of [client, slow]) yield* reachesVenue(each, "both have the books after the loss")
          assert.deepStrictEqual([client.counts.missing, slow.counts.missing], [0, 0])

          // From its first trade of a token on, the client has all trades of the venue, or was notified of a gap.
          simulation.freeze()
          const hashes = (
            trades: ReadonlyArray<{ asset_id: string; transaction_hash: string | null }>,
            token: string,
          ) => trades.flatMap(({ asset_id, transaction_hash }) => (asset_id === token ? [transaction_hash] : []))
          const missing = (token: string) => {
            const own = hashes(client.trades, token)
            const published = hashes(venue, token)
            const since = published.slice(published.indexOf(own[0] ?? ""))
            assert.deepStrictEqual(
              since.filter((hash) => own.includes(hash)),
              own,
            )
            return own.length === 0 ? 0 : since.length - own.length
          }
          yield* eventually(
            "no trade is missing without a gap marker",
            Effect.sync(() => {
              client.applyAll()
              return client.counts.gaps > 0 || tokens.every((token) => missing(token) === 0)
            }),
          )
          const all = client.trades.map(({ asset_id, transaction_hash }) => `${asset_id} ${transaction_hash}`)
          assert.strictEqual(new Set(all).size, all.length)
          yield* Fiber.interrupt(running)
        }).pipe(Effect.provide(services))
      }),
  )
})

// In a database of its own: two worlds may have the same market of the day.
layer(testFoundation(flags), { excludeTestServices: true })("BookChannel with real shards that change", (it) => {
  it.effect("subscribers move from one shard to the next and to its books", () =>
    Effect.gen(function* () {
      const { tokens, simulation, services, listed, recorders, reachesVenue, receivesTrades } = yield* opened(62)
      yield* Effect.gen(function* () {
        yield* list(listed)
        const channel = yield* makeBookChannel(recorders.publisher)
        const client = new BookClient(recorders.recorder())
        const first = yield* start
        yield* channel.subscribe(client.recorder, {
          action: "subscribe",
          type: "orderbook",
          token_ids: tokens,
        })
        yield* reachesVenue(client, "the venue's books")
        const epochs = () => tokens.map((token) => client.books.get(token)?.epoch)
        const before = epochs()
        yield* Fiber.interrupt(first)
        simulation.advance(60_000)
        const second = yield* start
        simulation.setRate(100)
        yield* receivesTrades(client, 5)
        yield* reachesVenue(client, "the venue's books from the next shard")
        assert.isTrue(epochs().every((epoch, index) => epoch !== before[index]))
        assert.isAbove(client.counts.gaps, 0)
        assert.strictEqual(client.counts.missing, 0)
        yield* Fiber.interrupt(second)
      }).pipe(Effect.provide(services))
    }),
  )
})
