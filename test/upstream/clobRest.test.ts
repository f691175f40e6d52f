import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option } from "effect"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { busyMarkets, tokensOf } from "#test/books/busyMarkets.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"

const clientAt = (url: string) =>
  ClobRest.layer.pipe(
    Layer.provide(upstreamsAt(url)),
    Layer.provide(testConfiguration()),
    Layer.provideMerge(Logger.layer([])),
    Layer.orDie,
  )

const frozen = (seed: number) =>
  Effect.tap(runningVenue(seed), ({ simulation }) => Effect.sync(() => simulation.freeze()))

describe("ClobRest", () => {
  it.live("returns the same for one token and for lists of any length", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* frozen(31)
      const tokens = tokensOf(simulation, busyMarkets(simulation, 260))
      assert.isAbove(tokens.length, 500)
      yield* Effect.gen(function* () {
        const rest = yield* ClobRest
        const books = new Map((yield* rest.books(tokens)).map((book) => [book.token, book]))
        const [prices, midpoints, spreads, trades] = yield* Effect.all([
          rest.prices(tokens),
          rest.midpoints(tokens),
          rest.spreads(tokens),
          rest.lastTrades(tokens),
        ])
        assert.deepStrictEqual([books.size, prices.size, midpoints.size], [tokens.length, tokens.length, tokens.length])
        let twoSided = 0
        for (const [token, { bids, asks, lastTradePrice }] of books) {
          assert.strictEqual(trades.get(token)?.price, lastTradePrice)
          const [bid, ask] = [bids[0]?.price, asks[0]?.price]
          if (bid === undefined || ask === undefined) continue
          twoSided++
          assert.deepStrictEqual(prices.get(token), { bid, ask })
          assert.strictEqual(midpoints.get(token), (bid + ask) / 2)
          assert.strictEqual(spreads.get(token), ask - bid)
        }
        assert.isAbove(twoSided, 400)
        for (const token of tokens.slice(0, 6)) {
          assert.deepStrictEqual(yield* rest.book(token), Option.some(books.get(token) as never))
          assert.deepStrictEqual(
            yield* Effect.all([rest.price(token, "bid"), rest.price(token, "ask"), rest.midpoint(token)]),
            [prices.get(token)?.bid, prices.get(token)?.ask, midpoints.get(token)].map(Option.fromUndefinedOr) as never,
          )
          assert.deepStrictEqual(yield* rest.spread(token), Option.fromUndefinedOr(spreads.get(token)))
          assert.deepStrictEqual(yield* rest.lastTrade(token), Option.fromUndefinedOr(trades.get(token)))
        }
        assert.isTrue(Option.isNone(yield* rest.book("12345")))
        assert.isEmpty(yield* rest.books(["12345"]))
        assert.isEmpty(yield* rest.books([]))
      }).pipe(Effect.provide(clientAt(url)))
    }),
  )

  it.live("returns price histories, markets, rewards and the time", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* frozen(31)
      const [market] = busyMarkets(simulation, 1)
      const tokens = tokensOf(simulation, busyMarkets(simulation, 15))
      assert.lengthOf(tokens, 30)
      yield* Effect.gen(function* () {
        const rest = yield* ClobRest
        const window = { interval: "1d", stepMinutes: 60 } as const
        const histories = yield* rest.histories(tokens, window)
        assert.sameMembers([...histories.keys()], [...tokens])
        const [first = ""] = tokens
        assert.deepStrictEqual(yield* rest.history(first, window), histories.get(first))
        const now = simulation.now()
        const points = yield* rest.history(first, { from: now - 7_200_000, to: now - 3_600_000, stepMinutes: 1 })
        assert.isAbove(points.length, 30)
        for (const { at, price } of points) {
          assert.isTrue(at >= now - 7_201_000 && at <= now - 3_600_000 && Number.isInteger(price) && price < 1_000_000)
        }

        const condition = (market?.conditionId ?? "").slice(2)
        const found = Option.getOrThrow(yield* rest.market(condition))
        assert.deepStrictEqual(
          [found.condition, found.slug, found.tokens.map(({ token }) => token), found.closed],
          [condition, market?.plan.slug, [...tokens.slice(0, 2)], false],
        )
        assert.isTrue(Option.isNone(yield* rest.market("00".repeat(32))))

        const all = { condition: undefined, sponsored: false, cursor: undefined }
        const { rewards: rewarded, next } = Option.getOrThrow(yield* rest.rewards(all))
        assert.strictEqual(next, "LTE=")
        assert.isAbove(rewarded.length, 10)
        for (const { nativeDailyRate, totalDailyRate, programmes } of rewarded) {
          assert.isTrue(Number.isInteger(nativeDailyRate) && nativeDailyRate > 0)
          assert.deepStrictEqual([totalDailyRate, programmes[0]?.dailyRate], [nativeDailyRate, nativeDailyRate])
        }
        assert.strictEqual(new Set(rewarded.map((each) => each.condition)).size, rewarded.length)
        assert.strictEqual(yield* rest.time, Math.floor(now / 1000) * 1000)
      }).pipe(Effect.provide(clientAt(url)))
    }),
  )

  it.live("leaves out undecodable rows", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* frozen(31)
      const tokens = tokensOf(simulation, busyMarkets(simulation, 20))
      yield* Effect.promise(() =>
        fetch(`${url}/_sim/faults`, {
          method: "POST",
          body: JSON.stringify({ upstream: "clob", channel: "http", kind: "wrong_types" }),
        }),
      )
      yield* Effect.gen(function* () {
        const rest = yield* ClobRest
        // About every fourth value of the response has a wrong type, so few rows are left, but nothing fails.
        assert.isBelow((yield* rest.books(tokens)).length, tokens.length)
      }).pipe(Effect.provide(clientAt(url)))
    }),
  )
})
