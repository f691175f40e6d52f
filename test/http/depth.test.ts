import { assert, layer } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { BookCache } from "#src/books/BookCache.ts"
import { Books } from "#src/books/Books.ts"
import { shardOf } from "#src/books/model.ts"
import { booksShards } from "#src/books/settings.ts"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Token } from "#src/simulator/world/Venue.ts"
import { busyMarkets } from "#test/books/busyMarkets.ts"
import { runner, servicesAt } from "#test/books/runningShards.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

class Venue extends Context.Service<Venue, Effect.Success<ReturnType<typeof followedVenue>>>()("test/http/Venue") {}

const seed = 71

const stores = Layer.unwrap(
  Effect.map(Venue, ({ url }) =>
    testFoundation(
      { port: "0", host: "127.0.0.1", "sim.port": new URL(url).port, "books.top": "0" },
      [],
      followedHistory(seed),
    ),
  ),
)

const world = ApiServer.pipe(
  Layer.provideMerge(Layer.merge(serving, ledger)),
  Layer.provideMerge(BookCache.layer),
  Layer.provideMerge(stores),
  Layer.provideMerge(Layer.effect(Venue, followedVenue(seed, { rate: 20 }))),
)

/** The venue's book as it stands, in dollars and shares. */
const trueBook = ({ simulation }: Venue["Service"], { market, outcome }: Token) => {
  const { world } = simulation.model
  const shown = (levels: ReadonlyArray<{ price: number; shares: number }>) =>
    levels.map(({ price, shares }) => ({ price: price / 1_000, size: shares / 1_000_000 }))
  const second = Math.floor(simulation.now() / 1_000) * 1_000
  const { bids, asks } = world.bookAt(market, outcome as 0 | 1, second)
  return { bids: shown(bids), asks: shown(asks) }
}

interface ShownLevel {
  readonly price: number
  readonly size: number
}

/** What an order gets, in floating point and by another way: from the sums of dollars up to each level. */
const expectedQuote = (levels: ReadonlyArray<ShownLevel>, size: number) => {
  const sums = levels.map((_, i) => levels.slice(0, i + 1).reduce((sum, { price, size: of }) => sum + price * of, 0))
  const last = sums.findIndex((sum) => sum >= size - 1e-9)
  const whole = last < 0 ? levels : levels.slice(0, last)
  const rest = last < 0 ? 0 : (size - (sums[last - 1] ?? 0)) / (levels[last]?.price ?? 1)
  const shares = whole.reduce((sum, { size: of }) => sum + of, 0) + rest
  const filled = last < 0 ? (sums.at(-1) ?? 0) : size
  return { complete: last >= 0, shares, filled, average: filled / shares, levels: whole.length + (rest > 0 ? 1 : 0) }
}

const { key: keyText, ask } = { key: { value: "" }, ask: (path: string) => askWith(keyText.value, path) }

const depthOf = (token: string, query = "") =>
  Effect.map(ask(`/v3/markets/${token}/depth${query}`), ({ status, json, text }) => {
    assert.strictEqual(status, 200, text)
    return json
  })

let open: ReadonlyArray<Token>
/** Of a market that nobody follows. */
let unfollowed: Token | undefined

/** Publishes a book as a shard would, `age` milliseconds ago. */
const publish = Effect.fnUntraced(function* (
  token: string,
  number: number,
  sides: { bids: ReadonlyArray<ShownLevel>; asks: ReadonlyArray<ShownLevel> },
  age = 0,
) {
  const shards = (yield* Configuration).get(booksShards)
  const now = (yield* Clock.currentTimeMillis) - age
  const micro = (levels: ReadonlyArray<ShownLevel>) =>
    levels.map(({ price, size }) => ({ price: Math.round(price * 1e6), size: Math.round(size * 1e6) }))
  const depth = { condition: "ab", bids: micro(sides.bids), asks: micro(sides.asks), tickSize: 10_000, updatedAt: now }
  const quote = { bid: null, ask: null, mid: null, spread: null, lastTrade: null, tickSize: 10_000, updatedAt: now }
  const book = { ...depth, epoch: "9000", seq: 1, checksum: "00000000", trades: 0 }
  const cache = yield* BookCache
  yield* cache.publish(shardOf(token, shards), {
    epoch: 9_000n,
    number,
    heardAt: now,
    books: [{ token, shown: { quote, book }, change: undefined }],
  })
})

layer(world, { excludeTestServices: true })("Depth", (it) => {
  it.effect("is the venue's book, and prices any size as the book does", () =>
    Effect.gen(function* () {
      const venue = yield* Venue
      const { simulation, url } = venue
      const { tokens, markets } = simulation.model.world.venue
      keyText.value = (yield* keyOf("enterprise")).key
      yield* Effect.flatMap(startFollower, (following) => caughtUp(simulation, following)).pipe(
        Effect.provide(nodeAt(url)),
        Effect.scoped,
      )
      const busy = busyMarkets(simulation, 4).flatMap((market) => market.tokens.flatMap((index) => tokens[index] ?? []))
      open = busy.slice(0, 6)
      unfollowed = busy[6]
      const { tx } = yield* Postgres
      yield* Effect.provide(
        Effect.flatMap(catalogueLoader(tx), ({ ensureTokens }) => ensureTokens(busy.map(({ hex }) => hex))),
        venue.upstreams,
      )
      for (const token of open) {
        const truth = trueBook(venue, token)
        assert.isAbove(truth.bids.length, 0)
        const total = truth.asks.reduce((sum, { price, size }) => sum + price * size, 0)
        for (const size of [0.01, 1, 100, 2_500.5, Math.floor(total), Math.ceil(total) + 10, 9_999_999_999]) {
          const json = yield* depthOf(token.id, `?size_usd=${size}&levels=1000`)
          assert.deepInclude(json, { token_id: token.id, status: "live", source: "venue", ...truth })
          assert.strictEqual(json.condition_id, token.market.conditionId.padEnd(66, "0"))
          const [bid, ask] = [truth.bids[0]?.price ?? 0, truth.asks[0]?.price ?? 0]
          assert.closeTo(json.mid, (bid + ask) / 2, 1e-9)
          assert.closeTo(json.spread, ask - bid, 1e-9)
          assert.closeTo(json.ask.usd, total, 1e-5)
          assert.deepStrictEqual(
            json.quotes.map((quote: { side: string }) => quote.side),
            ["buy", "sell"],
          )
          for (const quote of json.quotes) {
            const sign = quote.side === "buy" ? 1 : -1
            const [levels, best] = quote.side === "buy" ? [truth.asks, ask] : [truth.bids, bid]
            const expected = expectedQuote(levels, size)
            const about = `${quote.side} ${size}`
            assert.deepInclude(quote, { size_usd: size, complete: expected.complete, best_price: best }, about)
            assert.strictEqual(quote.levels_used, expected.levels, about)
            assert.closeTo(quote.filled_usd, expected.filled, 2e-6, about)
            assert.closeTo(quote.unfilled_usd, size - expected.filled, 2e-6, about)
            assert.closeTo(quote.shares, expected.shares, 2e-6, about)
            assert.closeTo(quote.average_price, expected.average, size < 1 ? 1e-4 : 1e-6, about)
            assert.closeTo(quote.slippage_best, sign * (quote.average_price - best), 2e-8, about)
            assert.closeTo(quote.slippage_best_pct, (100 * quote.slippage_best) / best, 1e-4, about)
            assert.closeTo(quote.slippage_mid, sign * (quote.average_price - (bid + ask) / 2), 2e-8, about)
            assert.strictEqual(quote.worst_price, levels[expected.levels - 1]?.price, about)
          }
        }
      }
      const [first] = open
      const few = yield* depthOf(first?.id ?? "", "?levels=2&size_usd=5&side=sell")
      assert.deepStrictEqual([few.bids.length, few.asks.length, few.quotes.length], [2, 2, 1])
      assert.strictEqual(few.bid.levels, trueBook(venue, first as Token).bids.length)

      const settled = markets.find(({ payouts, legs }) => payouts !== undefined && legs === undefined)
      const resolved = yield* depthOf(tokens[settled?.tokens[0] ?? 0]?.id ?? "", "?size_usd=5")
      assert.deepInclude(resolved, { status: "resolved", source: null, age_ms: null, mid: null })
      assert.deepStrictEqual([resolved.bids, resolved.asks, resolved.quotes], [[], [], []])
    }),
  )

  it.effect("is the same from a shard that follows the book over a socket", () =>
    Effect.gen(function* () {
      const venue = yield* Venue
      const ids = open.map(({ id }) => id)
      yield* Effect.gen(function* () {
        yield* (yield* Books).request(ids)
        const cache = yield* BookCache
        yield* eventually(
          "all books are followed",
          Effect.map(cache.quotes(ids), ({ size }) => size === ids.length),
          "30 seconds",
        )
        for (const token of open) {
          const json = yield* depthOf(token.id)
          assert.deepInclude(json, { status: "live", source: "shard", ...trueBook(venue, token) })
          assert.isBelow(json.age_ms, 10_000)
        }
      }).pipe(Effect.provide(runner), Effect.provide(servicesAt(venue.url)))
    }),
  )

  it.effect("says what it has of a book with one side, and of none", () =>
    Effect.gen(function* () {
      const [token = ""] = open.map(({ id }) => id)
      const bids = [
        { price: 0.4, size: 10 },
        { price: 0.3, size: 10 },
      ]
      yield* publish(token, 1, { bids, asks: [] })
      const json = yield* depthOf(token, "?size_usd=5.5")
      assert.deepInclude(json, { status: "live", source: "shard", bids, asks: [], mid: null, spread: null })
      assert.deepStrictEqual(json.ask, { best: null, levels: 0, usd: 0, shares: 0 })
      assert.deepStrictEqual(json.bid, { best: 0.4, levels: 2, usd: 7, shares: 20 })
      const [buy, sell] = json.quotes
      const nothing = { complete: false, filled_usd: 0, unfilled_usd: 5.5, shares: 0, average_price: null }
      assert.deepInclude(buy, { ...nothing, best_price: null, worst_price: null, levels_used: 0, slippage_best: null })
      assert.deepInclude(sell, {
        complete: true,
        shares: 15,
        average_price: 0.36666667,
        worst_price: 0.3,
        levels_used: 2,
      })
      assert.deepInclude(sell, { slippage_best: 0.03333333, slippage_best_pct: 8.333333, slippage_mid: null })
      yield* publish(token, 2, { bids: [], asks: [] })
      const empty = yield* depthOf(token, "?size_usd=5&side=buy")
      assert.deepInclude(empty, { status: "live", bids: [], asks: [], mid: null })
      assert.deepInclude(empty.quotes[0], { complete: false, shares: 0 })
    }),
  )

  it.effect("refuses unknown tokens and wrong sizes with what to do", () =>
    Effect.gen(function* () {
      const [token = ""] = open.map(({ id }) => id)
      for (const [path, status, message] of [
        ["/v3/markets/12345/depth", 404, /no token/],
        ["/v3/markets/abc/depth", 400, /decimal digits/],
        [`/v3/markets/${"9".repeat(90)}/depth`, 400, /decimal digits/],
        [`/v3/markets/${token}/depth?size_usd=0`, 400, /positive number of dollars/],
        [`/v3/markets/${token}/depth?size_usd=-5`, 400, /positive number of dollars/],
        [`/v3/markets/${token}/depth?size_usd=1e3`, 400, /positive number of dollars/],
        [`/v3/markets/${token}/depth?size_usd=NaN`, 400, /positive number of dollars/],
        [`/v3/markets/${token}/depth?size_usd=0.0000001`, 400, /at most 6 decimals/],
        [`/v3/markets/${token}/depth?size_usd=99999999999`, 400, /positive number of dollars/],
        [`/v3/markets/${token}/depth?side=buy`, 400, /needs `size_usd`/],
        [`/v3/markets/${token}/depth?size_usd=1&side=hold`, 400, /buy.*sell/],
      ] as const) {
        const answer = yield* ask(path)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text, message, path)
      }
      const free = yield* keyOf("free")
      assert.strictEqual((yield* askWith(free.key, `/v3/markets/${token}/depth`)).status, 402)
    }),
  )

  it.effect("shows the last known book with its age while the venue is down, and 503 without one", () =>
    Effect.gen(function* () {
      const { url } = yield* Venue
      const [token = ""] = open.map(({ id }) => id)
      const bids = [{ price: 0.2, size: 7 }]
      yield* publish(token, 3, { bids, asks: [] }, 25_000)
      const live = yield* depthOf(token)
      assert.strictEqual(live.source, "venue")
      yield* Effect.promise(() =>
        fetch(`${url}/_sim/faults`, {
          method: "POST",
          body: JSON.stringify({ upstream: "clob", channel: "http", kind: "server_error" }),
        }),
      )
      const stale = yield* depthOf(token, "?size_usd=1&side=sell")
      assert.deepInclude(stale, { status: "stale", source: "shard", bids })
      assert.isAtLeast(stale.age_ms, 25_000)
      assert.strictEqual(stale.quotes[0].shares, 5)
      const down = yield* ask(`/v3/markets/${unfollowed?.id}/depth`)
      assert.strictEqual(down.status, 503, down.text)
      assert.match(down.json.error, /venue does not answer/)
    }),
  )
})
