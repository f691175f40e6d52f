import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Interval, intervals, windowAt } from "#src/crypto/intervals.ts"
import { PriceWindows } from "#src/crypto/PriceWindows.ts"
import { type Coin, coins } from "#src/domain/Tick.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import {
  clearCatalogue,
  clearTicks,
  cryptoVenue,
  foundation,
  oracleNumber,
  secondsOf,
  simulatedTicks,
  store,
  storeAll,
} from "./support.ts"

const hours = process.env.PRESAGE_SOAK === "1" ? 2 : 1

/** Deciding seconds: the last minute up to a multiple of five minutes. */
const isNearBoundary = (second: number) => second % 300 === 0 || second % 300 > 240
const seeds = process.env.PRESAGE_SOAK === "1" ? [61, 62, 63, 64, 65, 66] : [61]

const read = (coin: Coin, interval: Interval, window: number) =>
  Effect.flatMap(PriceWindows, (windows) => windows.window({ coin, interval, window }))

interface Window {
  readonly coin: Coin
  readonly interval: Interval
  readonly market: Market
  readonly start: number
  readonly end: number
}

/** The venue's windows that started after a second and before now. */
const windowsSince = (simulation: Simulation, since: number): ReadonlyArray<Window> =>
  simulation.model.world.venue.markets.flatMap((market) => {
    const { rule } = market.plan
    if (rule.kind !== "updown" || rule.openAt < since * 1000 || rule.openAt > simulation.now()) return []
    const coin = coins.find((each) => oracleNumber(each) === rule.coin)
    const interval = intervals.find((each) => market.event.plan.tags.some(({ slug }) => slug === each))
    if (coin === undefined || interval === undefined) throw new Error(`unexpected market ${market.plan.slug}`)
    return [{ coin, interval, market, start: rule.openAt / 1000, end: rule.closeAt / 1000 }]
  })

/** The deciding price according to the simulated oracle. */
const truth = (simulation: Simulation, { coin, market }: Window, second: number) => {
  const { oracle } = simulation.model.world
  const { rule } = market.plan
  if (rule.kind !== "updown") throw new Error("no such rule")
  const number = oracleNumber(coin)
  return (rule.by === "twap60" ? oracle.twap60(number, second) : oracle.priceAt(number, second)) / 1e8
}

layer(foundation, { excludeTestServices: true })("PriceWindows", (it) => {
  for (const seed of seeds) {
    it.effect(`returns the prices that decided the market, seed ${seed}`, () =>
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        yield* clearCatalogue
        yield* clearTicks
        const { simulation, loadNamed, ask } = yield* cryptoVenue(seed)
        const now = secondsOf(simulation)
        const since = now - hours * 3_600
        const windows = windowsSince(simulation, since)
        yield* loadNamed(windows.map(({ market }) => market.plan.slug))
        yield* storeAll(simulation, "oracle_data_streams", since - 60, now + 1, isNearBoundary)
        const resolved = windows.filter(({ market }) => market.resolvedAt !== undefined)
        assert.isAbove(resolved.length, 7 * (hours * 12 - 2))

        const readAll = (some: ReadonlyArray<Window>) =>
          Effect.forEach(
            some,
            (window) =>
              Effect.map(ask(read(window.coin, window.interval, window.start)), (answer) => ({ window, ...answer })),
            { concurrency: 8 },
          )
        for (const { window, value } of yield* readAll(resolved)) {
          const label = window.market.plan.slug
          assert.isTrue(value.completed && !value.incomplete, label)
          assert.strictEqual(value.openPrice, truth(simulation, window, window.start), label)
          assert.strictEqual(value.closePrice, truth(simulation, window, window.end), label)
          const winner = value.closePrice >= value.openPrice ? 0 : 1
          assert.strictEqual(window.market.payouts?.[winner], 1, label)
          assert.isAtLeast(value.timestamp, window.end * 1000, label)
        }

        // Without the market's prices the ticks give the same result, except at a moment without a tick.
        yield* sql`update event set price_to_beat = null, final_price = null`
        const missed = (window: Window, second: number) =>
          window.interval === "1h" &&
          simulation.model.world.oracle.tick(oracleNumber(window.coin), second) === undefined
        for (const { window, value } of yield* readAll(resolved)) {
          const { start, end } = window
          if (!missed(window, start)) assert.strictEqual(value.openPrice, truth(simulation, window, start))
          if (!missed(window, end)) assert.strictEqual(value.closePrice, truth(simulation, window, end))
        }

        // Running windows: the open is fixed, the close follows the oracle.
        const running = windows.filter(({ end }) => end > now)
        assert.sameMembers([...new Set(running.map(({ interval }) => interval))], ["5m", "15m", "1h", "4h"])
        for (const { window, value, dataAt, until } of yield* readAll(running)) {
          assert.isTrue(value.incomplete && !value.completed)
          assert.isAtMost(until ?? 0, window.end * 1000)
          assert.strictEqual(dataAt, value.timestamp)
          if (!missed(window, window.start))
            assert.strictEqual(value.openPrice, truth(simulation, window, window.start))
          if (!missed(window, now)) assert.strictEqual(value.closePrice, truth(simulation, window, now))
        }
      }),
    )
  }

  it.effect(
    "a resolved window from before the first tick has the prices of its market, and says what they average",
    () =>
      Effect.gen(function* () {
        yield* clearCatalogue
        yield* clearTicks
        const { simulation, loadNamed, ask } = yield* cryptoVenue(66)
        const windows = windowsSince(simulation, secondsOf(simulation) - 7_200).filter(
          ({ market }) => market.resolvedAt !== undefined,
        )
        const [short, hour] = (["5m", "1h"] as const).map((length) =>
          windows.find(({ interval }) => interval === length),
        )
        if (short === undefined || hour === undefined) throw new Error("the venue has no such windows")
        yield* loadNamed([short, hour].map(({ market }) => market.plan.slug))
        for (const [window, averageSeconds] of [
          [short, 60],
          [hour, 0],
        ] as const) {
          const { value } = yield* ask(read(window.coin, window.interval, window.start))
          assert.deepInclude(value, {
            openPrice: truth(simulation, window, window.start),
            closePrice: truth(simulation, window, window.end),
            averageSeconds,
            completed: true,
            incomplete: false,
          })
        }
      }),
  )

  it.effect("fixes the open at the start, moves the close until the end and becomes final with the result", () =>
    Effect.gen(function* () {
      yield* clearCatalogue
      yield* clearTicks
      const { simulation, loadNamed, ask } = yield* cryptoVenue(67)
      const start = windowAt("5m", secondsOf(simulation)).end
      const window = { coin: "ETH", interval: "5m" } as const
      const slug = `eth-updown-5m-${start}`
      const { oracle } = simulation.model.world
      const mean = (second: number) => oracle.twap60(oracleNumber("ETH"), second) / 1e8
      const lookup = Effect.andThen(loadNamed([slug]), ask(read(window.coin, window.interval, start)))
      const passTo = (millis: number) => {
        simulation.advance(millis - simulation.now())
        const now = secondsOf(simulation)
        return store(
          "oracle_data_streams",
          "ETH",
          simulatedTicks(simulation, "oracle_data_streams", "ETH", now - 75, now + 1),
        )
      }

      yield* passTo(start * 1000 - 1)
      const early = yield* Effect.flip(lookup)
      assert.strictEqual(early._tag, "WrongWindow")

      yield* passTo(start * 1000)
      const first = yield* lookup
      assert.strictEqual(first.value.openPrice, mean(start))
      assert.strictEqual(first.value.closePrice, mean(start))
      assert.strictEqual(first.until, start * 1000 + 1_000, "the opening price may still change")

      for (const second of [7, 65, 130, 299]) {
        yield* passTo((start + second) * 1000 + 400)
        const { value, until } = yield* lookup
        assert.strictEqual(value.openPrice, mean(start), `after ${second} s`)
        assert.strictEqual(value.closePrice, mean(start + second), `after ${second} s`)
        assert.isTrue(value.incomplete && !value.completed)
        assert.strictEqual(until, (start + 300) * 1000)
      }

      yield* passTo((start + 310) * 1000)
      const ended = yield* lookup
      assert.deepInclude(ended.value, { openPrice: mean(start), closePrice: mean(start + 300) })
      assert.isTrue(ended.value.incomplete && !ended.value.completed, "it has ended without a result yet")

      yield* passTo((start + 425) * 1000)
      const done = yield* lookup
      assert.deepInclude(done.value, { openPrice: mean(start), closePrice: mean(start + 300) })
      assert.isTrue(done.value.completed && !done.value.incomplete)
      const [market] = windowsSince(simulation, start).filter((each) => each.market.plan.slug === slug)
      // The venue reports whole seconds.
      assert.strictEqual(Math.floor(done.value.timestamp / 1000), Math.floor((market?.market.resolvedAt ?? 0) / 1000))
      assert.strictEqual(done.dataAt, simulation.now())
    }),
  )

  it.effect("rejects windows without ticks or a market and uses the other source when the first is silent", () =>
    Effect.gen(function* () {
      yield* clearCatalogue
      yield* clearTicks
      const { simulation, loadNamed, ask } = yield* cryptoVenue(68)
      const { sql } = yield* Postgres
      const now = secondsOf(simulation)
      const windows = windowsSince(simulation, now - 90_000).filter(({ coin }) => coin === "SOL")
      const [old, middle, recent] = [5_400, 3_600, 300].map((ago) =>
        windows.find(({ interval, start }) => interval === "5m" && start === now - ago),
      )
      const daily = windows.find(({ interval, end }) => interval === "daily" && end > now)
      if (old === undefined || middle === undefined || recent === undefined || daily === undefined)
        throw new Error("the venue has no such windows")
      const windowsToLoad = [old, middle, recent, daily]
      yield* loadNamed(windowsToLoad.map(({ market }) => market.plan.slug))
      const lookup = ({ coin, interval, start }: Window) => ask(read(coin, interval, start))

      // Collection starts within the second window and is silent around the third.
      const collectedFrom = middle.start + 100
      yield* store(
        "oracle_data_streams",
        "SOL",
        simulatedTicks(simulation, "oracle_data_streams", "SOL", collectedFrom, middle.end + 1),
      )
      assert.strictEqual((yield* lookup(middle)).value.openPrice, truth(simulation, middle, middle.start))
      assert.strictEqual((yield* lookup(daily)).value.openPrice, truth(simulation, daily, daily.start))
      yield* sql`update event set price_to_beat = null, final_price = null`
      assert.deepInclude(yield* Effect.flip(lookup(old)), { _tag: "UnknownWindow" })
      assert.match((yield* Effect.flip(lookup(old))).message, /No prices are known for the 5m window of SOL/)
      assert.strictEqual((yield* Effect.flip(lookup(middle)))._tag, "UnknownWindow", "its opening price is unknown")
      assert.strictEqual((yield* Effect.flip(lookup(recent)))._tag, "UnknownWindow", "the last price is an hour old")

      const platform = simulatedTicks(simulation, "platform_oracle", "SOL", recent.start - 400, recent.end + 1)
      yield* store("platform_oracle", "SOL", platform)
      const meanUpTo = (second: number) => {
        const prices = platform.flatMap((tick) =>
          tick.second > second - 60 && tick.second <= second ? [tick.price] : [],
        )
        const sum = prices.reduce((total, price) => total + price, 0n)
        return Number((2n * sum + BigInt(prices.length)) / (2n * BigInt(prices.length))) / 1e8
      }
      const { value } = yield* lookup(recent)
      assert.strictEqual(value.openPrice, meanUpTo(recent.start))
      assert.strictEqual(value.closePrice, meanUpTo(recent.end))

      // The platform's own averages are what decides, and are exact where its prices lack seconds.
      const own = (second: number) => ({
        second,
        price: BigInt(simulation.model.world.oracle.twap60(oracleNumber("SOL"), second)),
      })
      yield* store("platform_twap60", "SOL", [own(recent.start), own(recent.end)])
      const decided = yield* lookup(recent)
      assert.strictEqual(decided.value.openPrice, truth(simulation, recent, recent.start))
      assert.strictEqual(decided.value.closePrice, truth(simulation, recent, recent.end))

      const notListed = yield* Effect.flip(ask(read("SOL", "15m", windowAt("15m", now - 3_600).start)))
      assert.match(notListed.message, /No up-or-down market is known for the 15m window of SOL/)
    }),
  )
})
