import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Candles } from "#src/crypto/Candles.ts"
import type { Candle } from "#src/crypto/shapes.ts"
import { type Coin, coins, type TickSource } from "#src/domain/Tick.ts"
import { clearTicks, cryptoVenue, foundation, secondsOf, simulatedTicks, store } from "./support.ts"

const recent = (coin: Coin) => Effect.flatMap(Candles, (candles) => candles.recent(coin))

type Ticks = ReadonlyArray<{ readonly second: number; readonly price: bigint }>

/** Reference: scans every tick for every candle. */
const expected = (now: number, preferred: Ticks, other: Ticks) => {
  const candles: Array<Candle> = []
  let before: number | undefined
  const current = now - (now % 300)
  for (let time = current - 29 * 300; time <= current; time += 300) {
    const within = (ticks: Ticks) => ticks.filter(({ second }) => second >= time && second < time + 300)
    const earlier = [...preferred, ...other].filter(({ second }) => second < time)
    const newest = earlier.sort((a, b) => a.second - b.second).at(-1)
    if (candles.length === 0 && newest !== undefined) before = Number(newest.price) / 1e8
    const ticks = [...(within(preferred).length > 0 ? within(preferred) : within(other))]
    const prices = ticks.sort((a, b) => a.second - b.second).map(({ price }) => Number(price) / 1e8)
    const [open = before, close = before] = [prices[0], prices.at(-1)]
    if (open === undefined || close === undefined) continue
    candles.push({ time, open, high: Math.max(open, ...prices), low: Math.min(open, ...prices), close })
    before = close
  }
  return candles
}

const shuffled = (ticks: Ticks, seed: number): Ticks => {
  const keyed = ticks.map((tick, i) => ({ tick, key: Math.imul(i + seed, 2_654_435_761) >>> 0 }))
  return keyed.sort((a, b) => a.key - b.key).map(({ tick }) => tick)
}

layer(foundation, { excludeTestServices: true })("Candles", (it) => {
  for (const seed of process.env.PRESAGE_SOAK === "1" ? [71, 72] : [71]) {
    it.effect(`match the venue's ticks in any order of arrival and with any gaps, seed ${seed}`, () =>
      Effect.gen(function* () {
        yield* clearTicks
        const { simulation, ask } = yield* cryptoVenue(seed)
        simulation.advance(97_400)
        const now = secondsOf(simulation)
        const from = now - (now % 300) - 32 * 300
        // Candles are missing wholly or partly in one source, some in both.
        const isKept = (source: TickSource, second: number, coin: Coin) => {
          const candle = Math.floor((second - from) / 300) + coins.indexOf(coin)
          if (candle % 11 === 4) return false
          if (source === "oracle_data_streams") return candle % 5 !== 2 && !(candle % 7 === 3 && second % 300 < 200)
          return second % 3 === 0
        }
        for (const [index, coin] of (["BTC", "DOGE"] as const).entries()) {
          const ticks = (source: TickSource) =>
            simulatedTicks(simulation, source, coin, from + index * 3_000, now + 1).filter(({ second }) =>
              isKept(source, second, coin),
            )
          const [streams, platform] = [ticks("oracle_data_streams"), ticks("platform_oracle")]
          const half = Math.floor(streams.length / 2)
          const late = shuffled(streams, seed)
          yield* store("oracle_data_streams", coin, late.slice(half))
          yield* store("platform_oracle", coin, shuffled(platform, seed))
          const partly = yield* ask(recent(coin))
          assert.deepStrictEqual(partly.value.candles, expected(now, late.slice(half), platform))
          yield* store("oracle_data_streams", coin, late.slice(0, half))
          const { value, dataAt, until } = yield* ask(recent(coin))
          assert.deepStrictEqual(value.candles, expected(now, streams, platform))
          assert.strictEqual(until, (now - (now % 300) + 300) * 1000)
          const newest = Math.max(...[...streams, ...platform].map(({ second }) => second))
          assert.isAtMost(dataAt, newest * 1000)
          assert.isAtLeast(dataAt, (newest - 5) * 1000)
        }
        assert.deepStrictEqual((yield* ask(recent("HYPE"))).value.candles, [], "no tick is stored")
      }),
    )
  }

  it.effect("include the current, moving candle from its first moment and are always thirty", () =>
    Effect.gen(function* () {
      yield* clearTicks
      const { simulation, ask } = yield* cryptoVenue(73)
      simulation.advance(300_000 - (simulation.now() % 300_000) - 1)
      const edge = secondsOf(simulation) + 1
      const ticks = (from: number, to: number) => simulatedTicks(simulation, "oracle_data_streams", "XRP", from, to)
      yield* store("oracle_data_streams", "XRP", ticks(edge - 9_300, edge))
      const before = (yield* ask(recent("XRP"))).value.candles
      assert.strictEqual(before.length, 30)
      assert.strictEqual(before.at(-1)?.time, edge - 300)

      // A new candle has started without a tick yet.
      simulation.advance(1)
      const { value, until } = yield* ask(recent("XRP"))
      assert.strictEqual(value.candles.length, 30)
      const { close } = before.at(-1) ?? { close: 0 }
      assert.deepStrictEqual(value.candles.at(-1), { time: edge, open: close, high: close, low: close, close })
      assert.deepStrictEqual(value.candles.at(-2), before.at(-1))
      assert.strictEqual(until, (edge + 300) * 1000)

      for (const seconds of [1, 30, 240]) {
        simulation.advance(seconds * 1000)
        const now = secondsOf(simulation)
        yield* store("oracle_data_streams", "XRP", ticks(edge, now + 1))
        const moving = yield* ask(recent("XRP"))
        assert.deepStrictEqual(moving.value.candles, expected(now, ticks(edge - 9_300, now + 1), []))
        const prices = ticks(edge, now + 1).map(({ price }) => Number(price) / 1e8)
        assert.strictEqual(moving.value.candles.at(-1)?.open, prices[0])
        assert.strictEqual(moving.value.candles.at(-1)?.close, prices.at(-1))
      }
    }),
  )
})
