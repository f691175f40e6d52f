import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { cryptoPriceService } from "#src/simulator/oracle/cryptoPrice.ts"
import { binancePrice, twapOf } from "#src/simulator/oracle/derivedPrices.ts"
import { rtdsSocket } from "#src/simulator/oracle/rtds.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { windowSlug } from "#src/simulator/world/catalogue/crypto/names.ts"
import { type Coin, coins } from "#src/simulator/world/oracle.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import { connect, frozen, genesis, now, requestOf, secondOf } from "./oracleWorld.ts"

// For tests that only read.
const still = frozen(7, "tiny")
// For tests that advance time.
const moving = frozen(8, "tiny")
describe("rtdsSocket", () => {
  const subscribe = (topic: string, filters?: unknown, type = "*", action = "subscribe") =>
    JSON.stringify({ action, subscriptions: [{ topic, type, filters }] })

  it("answers pings with empty messages and ignores invalid frames", () => {
    const { socket, sent } = connect(rtdsSocket(still))
    socket.onMessage("PING")
    socket.onMessage("ping")
    assert.deepStrictEqual(sent.splice(0), ["", ""])
    const frame = fc.record({
      action: fc.constantFrom("subscribe", "unsubscribe", "dance"),
      subscriptions: fc.array(
        fc.record({
          topic: fc.constantFrom<unknown>("crypto_prices", "constructor", 1),
          type: fc.constantFrom<unknown>("update", "*", undefined, 5),
          filters: fc.oneof(
            fc.jsonValue(),
            fc.json(),
            fc.constantFrom("{", "[1", '{"__proto__":"x"}', { toString: 1 }),
          ),
        }),
      ),
    })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          frame.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          socket.onMessage(text)
        },
      ),
      { numRuns: 500 },
    )
  })

  it("sends a snapshot and then every update, for all forms of filters", () => {
    const sim = moving
    const service = rtdsSocket(sim)
    const forms: ReadonlyArray<unknown> = [
      '{"symbol":"btcusdt"}',
      { symbol: "BTCusdt" },
      "btcusdt",
      ["btcusdt"],
      '["btcusdt"]',
    ]
    const clients = forms.map((filters, i) => {
      const client = connect(service)
      client.socket.onMessage(subscribe("crypto_prices", filters, i % 2 === 0 ? "update" : "*"))
      return client
    })
    const prices = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i).flatMap((second) => {
        const price = binancePrice(sim.model.world.oracle, 0, second)
        return price === undefined ? [] : [{ timestamp: second * 1000, value: price / 1e8 }]
      })
    const start = secondOf(sim)
    for (const { take } of clients) {
      const [snapshot, ...more] = take()
      assert.deepStrictEqual(more, [])
      assert.notProperty(snapshot, "connection_id")
      assert.deepInclude(snapshot, { topic: "crypto_prices", type: "subscribe", timestamp: sim.now() })
      assert.deepStrictEqual(snapshot.payload, { symbol: "btcusdt", data: prices(start - 119, start) })
    }
    sim.advance(200_000)
    const ids = new Set<string>()
    const expected = prices(start + 1, start + 200)
    assert.isBelow(expected.length, 200)
    for (const { take } of clients) {
      const updates = take()
      assert.deepStrictEqual(
        updates.map(({ payload: { timestamp, value } }) => ({ timestamp, value })),
        expected,
      )
      for (const { topic, type, payload, connection_id } of updates) {
        ids.add(connection_id)
        assert.deepStrictEqual([topic, type, payload.symbol], ["crypto_prices", "update", "btcusdt"])
        assert.strictEqual(Number(payload.full_accuracy_value), payload.value)
      }
    }
    assert.strictEqual(ids.size, forms.length)
  })

  it("an unfiltered subscription covers every coin, and repeated subscriptions do not duplicate messages", () => {
    const sim = moving
    const { socket, take } = connect(rtdsSocket(sim))
    for (const filters of [undefined, "", "[]"]) socket.onMessage(subscribe("crypto_prices_chainlink", filters))
    socket.onMessage(subscribe("crypto_prices_twap_sixty", undefined, "update"))
    assert.deepStrictEqual(take(), [])
    socket.onMessage(subscribe("crypto_prices_twap_thirty", { symbol: "eth/usd" }))
    socket.onMessage(subscribe("crypto_prices_chainlink", "btc/usd,eth/usd"))
    socket.onMessage(subscribe("crypto_prices_chainlink", "btc/usd"))
    assert.deepStrictEqual(
      take().map(({ topic, type, payload }) => [topic, type, payload.symbol]),
      [
        ["crypto_prices_twap_thirty", "subscribe", "eth/usd"],
        ["crypto_prices", "subscribe", "btc/usd"],
      ],
    )
    sim.advance(1_000)
    const second = secondOf(sim)
    const world = sim.model.world.oracle
    const coming = coins.map((_, coin) => coin).filter((coin) => world.platformPrice(coin, second) !== undefined)
    const text = (topic: string, coin: number, price: number) =>
      `${topic} ${(coins[coin] as Coin).symbol.toLowerCase()}/usd ${BigInt(price) * 10n ** 10n}`
    const expected = [
      ...coming.map((coin) => text("crypto_prices_chainlink", coin, world.platformPrice(coin, second) as number)),
      ...coming
        .filter((coin) => coin === 1)
        .map((coin) => `${text("crypto_prices_twap_thirty", coin, twapOf(world, coin, second, 30))} 30`),
      ...coming.map((coin) => `${text("crypto_prices_twap_sixty", coin, world.twap60(coin, second))} 60`),
    ]
    assert.deepStrictEqual(
      take().map(({ topic, payload: { symbol, full_accuracy_value, window_s = "" } }) =>
        `${topic} ${symbol} ${full_accuracy_value} ${window_s}`.trim(),
      ),
      expected,
    )
  })

  it("a filter with a space gets a snapshot and no updates, and an unknown topic silences its frame", () => {
    const sim = moving
    const { socket, take } = connect(rtdsSocket(sim))
    socket.onMessage(subscribe("crypto_prices_chainlink", '{"symbol": "btc/usd"}'))
    assert.lengthOf(take(), 1)
    const frame = ["crypto_prices_chainlink", "crypto_prices_gone"].map((topic) => ({ topic, type: "*" }))
    socket.onMessage(JSON.stringify({ action: "subscribe", subscriptions: frame }))
    assert.deepInclude(take()[0], { statusCode: 401 })
    sim.advance(10_000)
    assert.deepStrictEqual(take(), [])
  })

  it("stops after an unsubscribe or a disconnect", () => {
    const sim = moving
    const { socket, take } = connect(rtdsSocket(sim))
    const topics = () => {
      take()
      sim.advance(3_000)
      return [...new Set(take().map(({ topic, payload }) => `${topic} ${payload.symbol}`))]
    }
    for (const symbol of ["btc/usd", "eth/usd"]) socket.onMessage(subscribe("crypto_prices_chainlink", { symbol }))
    assert.lengthOf(topics(), 2)
    socket.onMessage(subscribe("crypto_prices_chainlink", '{"symbol":"BTC/USD"}', "*", "unsubscribe"))
    assert.deepStrictEqual(topics(), ["crypto_prices_chainlink eth/usd"])
    socket.onMessage(subscribe("crypto_prices_chainlink", undefined, "*", "unsubscribe"))
    assert.deepStrictEqual(topics(), [])
    socket.onMessage(subscribe("crypto_prices"))
    socket.onClose()
    assert.deepStrictEqual(topics(), [])
  })
})

describe("cryptoPriceService", () => {
  const five = 300_000
  const iso = (at: number) => new Date(at).toISOString().replace(".000Z", "Z")
  const query = (symbol: string, openAt: number, closeAt: number, variant: string, more = "") =>
    `/api/crypto/crypto-price?symbol=${symbol}&eventStartTime=${iso(openAt)}&endDate=${iso(closeAt)}&variant=${variant}${more}`
  const priceClient = (sim: Simulation) => {
    const service = cryptoPriceService(sim)
    return (symbol: string, openAt: number, closeAt: number, variant: string, more = "&twapEnabled=true") =>
      JSON.parse(service(requestOf(query(symbol, openAt, closeAt, variant, more))).body)
  }

  it("consecutive windows share prices and agree with their markets' resolution", () => {
    const pricesOf = priceClient(still)
    const spans = [
      ["5m", "fiveminute", five, "&twap=true&twapLookbackSeconds=60"],
      ["15m", "fifteen", 3 * five, "&twapEnabled=true&twapLookbackSeconds=60"],
      ["1h", "hourly", 12 * five, ""],
      ["4h", "fourhour", 48 * five, "&twapEnabled=true"],
    ] as const
    const outcomes = new Set<number>()
    for (const [span, variant, lasts, more] of spans) {
      for (const [coin, { symbol }] of coins.entries()) {
        const newest = Math.floor((now - 600_000) / lasts) * lasts
        let before: number | undefined
        for (let openAt = newest - 6 * lasts; openAt + lasts <= newest; openAt += lasts) {
          const slug = windowSlug({ coin, span, openAt, closeAt: openAt + lasts })
          const { venue } = still.model.world
          const market = venue.markets[venue.bySlug.get(slug)?.markets[0] ?? -1] as Market
          const { openPrice, closePrice, ...rest } = pricesOf(symbol, openAt, openAt + lasts, variant, more)
          assert.deepStrictEqual(rest, {
            timestamp: market.resolvedAt,
            completed: true,
            incomplete: false,
            cached: true,
          })
          if (before !== undefined) assert.strictEqual(openPrice, before)
          before = closePrice
          const winner = closePrice >= openPrice ? 0 : 1
          outcomes.add(winner)
          assert.strictEqual(market.payouts?.[winner], 1, slug)
        }
      }
    }
    assert.strictEqual(outcomes.size, 2)
  })

  it("reports a window from before its start until its resolution", () => {
    const sim = moving
    const pricesOf = priceClient(sim)
    const openAt = Math.ceil((sim.now() + 10_000) / five) * five
    const current = (more?: string) => pricesOf("BTC", openAt, openAt + five, "fiveminute", more)
    const nothing = { openPrice: null, closePrice: null, completed: false, incomplete: true, cached: false }
    assert.deepStrictEqual(current(), { ...nothing, timestamp: sim.now() })
    sim.advance(openAt - sim.now() + 1_000)
    assert.deepInclude(current(), { openPrice: null, incomplete: true })
    assert.isNumber(current().closePrice)
    sim.advance(30_000)
    const world = sim.model.world.oracle
    const running = current()
    assert.deepInclude(running, {
      openPrice: world.twap60(0, openAt / 1000) / 1e8,
      incomplete: false,
      completed: false,
    })
    assert.strictEqual(current("").openPrice, world.priceAt(0, openAt / 1000) / 1e8)
    sim.advance(60_000)
    assert.notStrictEqual(current().closePrice, running.closePrice)
    assert.strictEqual(current().openPrice, running.openPrice)
    sim.advance(openAt + five - sim.now())
    const ended = current()
    assert.strictEqual(ended.completed, false)
    const { venue } = sim.model.world
    const market = venue.markets[venue.bySlug.get(`btc-updown-5m-${openAt / 1000}`)?.markets[0] ?? -1] as Market
    while (sim.now() < market.plan.resolvesAt) {
      assert.deepInclude(current(), { completed: false, closePrice: ended.closePrice })
      sim.advance(Math.min(5_000, market.plan.resolvesAt - sim.now()))
    }
    assert.deepInclude(current(), { completed: true, cached: true, closePrice: ended.closePrice })
    assert.strictEqual(pricesOf("BTC", openAt + five, openAt + 2 * five, "fiveminute").openPrice, ended.closePrice)
  })

  it("rejects invalid parameters", () => {
    const service = cryptoPriceService(still)
    const status = (target: string) => service(requestOf(target)).status
    const [a, b] = [genesis, genesis + five]
    assert.strictEqual(status(query("BTC", a, b, "fiveminute")), 200)
    assert.strictEqual(status(query("BTC", a, b, "fiveminute").replaceAll("00Z", "00.000Z")), 200)
    const bad = [
      "/api/crypto/crypto-price",
      query("ABC", a, b, "fiveminute"),
      query("BTC", b, a, "fiveminute"),
      query("BTC", a, b, "century"),
      query("BTC", a, b, "fiveminute", "&twap=true&twapLookbackSeconds=x"),
      query("BTC", a, b, "fiveminute").replace("2026", "soon"),
    ]
    for (const target of bad) assert.strictEqual(status(target), 400, target)
    assert.strictEqual(status("/api/other"), 404)
  })
})
