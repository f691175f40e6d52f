import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Queue, Stream } from "effect"
import { coins } from "#src/domain/Tick.ts"
import { CryptoPrice } from "#src/upstream/oracle/CryptoPrice.ts"
import { DataStreams } from "#src/upstream/oracle/DataStreams.ts"
import { Polybolt } from "#src/upstream/oracle/Polybolt.ts"
import { Rtds } from "#src/upstream/oracle/Rtds.ts"
import { eventually } from "#test/support/eventually.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"

const clients = (url: string, flags: Record<string, string> = {}) =>
  Layer.mergeAll(DataStreams.layer, Polybolt.layer, Rtds.layer, CryptoPrice.layer).pipe(
    Layer.provide(upstreamsAt(url)),
    Layer.provide(testConfiguration(flags)),
    Layer.orDie,
  )

const minute = 60_000

const fault = (url: string, body: object) =>
  Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "POST", body: JSON.stringify(body) }))

describe("Oracle clients", () => {
  it.live("data streams: authenticate over HTTP and the socket, stream every coin and page through history", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(51)
      simulation.freeze()
      const { oracle } = simulation.model.world
      yield* Effect.gen(function* () {
        const streams = yield* DataStreams
        const from = Math.floor(simulation.now() / 1000) - 7_200
        const page = yield* streams.history("ETH", from, 1_000)
        assert.deepStrictEqual([page.ticks.length, page.unread], [1_000, 0])
        for (const { at, price, bid, ask } of page.ticks) {
          const tick = oracle.tick(1, at / 1000)
          assert.deepStrictEqual([Number(price), Number(bid), Number(ask)], [tick?.price, tick?.bid, tick?.ask])
        }
        const heard = new Set<string>()
        yield* Effect.forkChild(
          Stream.runForEach(streams.live, (ticks) =>
            Effect.sync(() => {
              for (const { coin } of ticks) heard.add(coin)
            }),
          ),
        )
        yield* eventually(
          "every coin has a tick",
          Effect.sync(() => {
            simulation.advance(1_000)
            return heard.size === coins.length
          }),
        )
      }).pipe(Effect.provide(clients(url)))
    }),
  )

  it.live("data streams: a wrong secret fails with the reason and is not retried", () =>
    Effect.gen(function* () {
      const { url } = yield* runningVenue(51)
      const failure = yield* DataStreams.use((streams) => streams.history("BTC", 1_794_000_000, 1)).pipe(
        Effect.provide(
          clients(url, {
            "upstream.datastreams-id": "00000000-0000-4000-8000-000000000001",
            "upstream.datastreams-secret": "wrong",
          }),
        ),
        Effect.flip,
      )
      assert.deepStrictEqual([failure.status, failure.isTransient], [401, false])
      assert.match(failure.message, /signature does not match/)
    }),
  )

  it.live("data streams: the real ones are not used without credentials", () =>
    Effect.gen(function* () {
      const real = { upstream: "polymarket" }
      const isAvailable = (flags: Record<string, string>) =>
        DataStreams.use((streams) => Effect.succeed(streams.isAvailable)).pipe(
          Effect.provide(clients("http://127.0.0.1:1", flags)),
        )
      assert.isFalse(yield* isAvailable(real))
      assert.isTrue(
        yield* isAvailable({ ...real, "upstream.datastreams-id": "an-id", "upstream.datastreams-secret": "a-secret" }),
      )
    }),
  )

  it.live("the platform's socket: sends a snapshot of each coin at first and on request", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(52)
      simulation.freeze()
      yield* Effect.gen(function* () {
        const rtds = yield* Rtds
        const again = yield* Queue.unbounded<void>()
        const snapshots: Array<number> = []
        yield* Effect.forkChild(
          Stream.runForEach(rtds.live("spot", Stream.fromQueue(again)), (messages) =>
            Effect.sync(() => {
              for (const message of messages) if (message.kind === "snapshot") snapshots.push(message.ticks.length)
            }),
          ),
        )
        yield* eventually(
          "a snapshot of each coin",
          Effect.sync(() => snapshots.length === coins.length),
        )
        assert.isTrue(snapshots.every((length) => length > 100 && length <= 120))
        yield* Queue.offer(again, undefined)
        yield* eventually(
          "another snapshot of each coin",
          Effect.sync(() => snapshots.length === 2 * coins.length),
        )
      }).pipe(Effect.provide(clients(url)))
    }),
  )

  it.live("price to beat: returns open and close of a window, spot or average, null before they are known", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(53)
      simulation.freeze()
      const { oracle } = simulation.model.world
      const from = Math.floor(simulation.now() / (5 * minute)) * 5 * minute - 60 * minute
      yield* Effect.gen(function* () {
        const site = yield* CryptoPrice
        const past = { coin: "BTC", length: "5m", from, to: from + 5 * minute } as const
        const spot = yield* site.window(past)
        assert.deepStrictEqual(
          [spot.open, spot.close, spot.isCompleted, spot.isIncomplete],
          [BigInt(oracle.priceAt(0, from / 1000)), BigInt(oracle.priceAt(0, from / 1000 + 300)), true, false],
        )
        const mean = yield* site.window({ ...past, twapSeconds: 60 })
        assert.strictEqual(mean.close, BigInt(oracle.twap60(0, from / 1000 + 300)))
        for (const [length, minutes] of [
          ["15m", 15],
          ["1h", 60],
          ["4h", 240],
          ["1d", 1440],
        ] as const) {
          const window = yield* site.window({ coin: "HYPE", length, from, to: from + minutes * minute })
          assert.strictEqual(window.open, BigInt(oracle.priceAt(6, from / 1000)), length)
        }
        const soon = Math.ceil((simulation.now() + 1) / (5 * minute)) * 5 * minute
        const before = yield* site.window({ coin: "SOL", length: "5m", from: soon, to: soon + 5 * minute })
        assert.deepStrictEqual([before.open, before.close, before.isIncomplete], [null, null, true])
      }).pipe(Effect.provide(clients(url)))
    }),
  )

  it.live("price to beat: pauses after a rate limit for the requested time", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(53)
      const window = { coin: "BTC", length: "5m", from: simulation.now() - 10 * minute, to: simulation.now() } as const
      yield* Effect.gen(function* () {
        const site = yield* CryptoPrice
        yield* fault(url, { upstream: "site", channel: "http", kind: "rate_limited", retry_after_s: 30, share: 1 })
        const refused = yield* Effect.flip(site.window(window))
        assert.strictEqual(refused.status, 429)
        yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
        const resting = yield* Effect.flip(site.window(window))
        assert.deepStrictEqual([resting.reason, resting.status], ["rate-limited", undefined])
      }).pipe(Effect.provide(clients(url, { "upstream.site.attempts": "1" })))
    }),
  )
})
