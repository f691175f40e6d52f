import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { coins } from "#src/domain/Tick.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { store } from "#test/crypto/support.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { call } from "./support/client.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { boundPort } from "./support/server.ts"
import { serving } from "./support/serving.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(Layer.merge(serving, TickStore.layer)),
  Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1", "sim.port": "1" })),
)

const maxAge = (header: unknown) => Number(/max-age=(\d+)/.exec(String(header))?.[1])

/** A catalogue market of the window that started at `start`. */
const addMarket = (start: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [opens, ends] = [new Date(start * 1000), new Date((start + 300) * 1000)]
    const slug = `btc-updown-5m-${start}`
    yield* sql`
      insert into series (id, slug, title, recurrence, active, closed)
      values (1, 'btc-up-or-down-5m', 'BTC Up or Down 5m', '5m', true, false)`
    yield* sql`
      insert into event (id, series, series_slug, slug, title, tags, opens_at, starts_at, ends_at, active, closed, archived, featured, neg_risk)
      values (1, 1, 'btc-up-or-down-5m', ${slug}, 'Bitcoin Up or Down', '["crypto"]', ${opens}, ${opens}, ${ends}, true, false, false, false, false)`
    yield* sql`
      insert into market (id, event, slug, question, tokens, outcomes, prices, opens_at, ends_at, active, closed,
        archived, accepting_orders, neg_risk, price_asset, price_duration, price_twap_seconds)
      values (1, 1, ${slug}, 'Bitcoin Up or Down', '[]', '["Up","Down"]', '[500000,500000]', ${opens}, ${ends}, true,
        false, false, true, false, 'btc', '5m', 60)`
  })

layer(server, { excludeTestServices: true })("Crypto over REST", (it) => {
  it.effect("answers match their schemas, and have ages, tags and cache status", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const second = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const price = (of: number) => BigInt(9_700_000_000_000 + of * 1_000_000)
      const ticks = Array.from({ length: 900 }, (_, i) => second - 899 + i)
      yield* store(
        "oracle_data_streams",
        "BTC",
        ticks.map((each) => ({ second: each, price: price(each % 100) })),
      )

      const first = yield* askWith(key, "/v1/crypto/candles?symbol=BTC")
      assert.strictEqual(first.status, 200)
      const { candles } = first.json
      assert.isAtLeast(candles.length, 3)
      for (const { time, open, high, low, close } of candles) {
        assert.strictEqual(time % 300, 0)
        assert.isTrue(low <= open && open <= high && low <= close && close <= high)
      }
      assert.strictEqual(candles.at(-1).time, Math.floor(second / 300) * 300)
      assert.isAtMost(maxAge(first.headers["cache-control"]), 5)
      assert.isAtLeast(Number(first.headers["x-data-age-ms"]), 0)
      assert.strictEqual(first.headers["x-cache"], "miss")

      const again = yield* askWith(key, "/v1/crypto/candles?symbol=btc%2Fusd")
      assert.deepStrictEqual([again.headers["x-cache"], again.headers["etag"]], ["hit", first.headers["etag"]])
      const unchanged = yield* askWith(key, "/v1/crypto/candles?symbol=BTC", {
        headers: { "if-none-match": String(first.headers["etag"]) },
      })
      assert.deepStrictEqual([unchanged.status, unchanged.text], [304, ""])

      const start = Math.floor(second / 300) * 300 - 300
      yield* addMarket(start)
      const window = `/v1/crypto/price?symbol=BTC&window=${start}`
      const made = yield* askWith(key, window)
      assert.strictEqual(made.status, 200, made.text)
      assert.deepInclude(made.json, { completed: false, incomplete: true, cached: false })
      assert.deepInclude((yield* askWith(key, `${window}&interval=5m`)).json, {
        openPrice: made.json.openPrice,
        closePrice: made.json.closePrice,
        cached: true,
      })

      const active = yield* askWith(key, "/v1/crypto/active")
      assert.strictEqual(active.json.count, 7)
      assert.deepStrictEqual(
        active.json.markets.map(({ slug }: { slug: string }) => slug),
        coins.map((coin) => `${coin.toLowerCase()}-updown-5m-${active.json.windowStart}`),
      )
      const leftOfWindow = (active.json.windowStart + 300) * 1000 - (yield* Clock.currentTimeMillis)
      assert.isAtMost(maxAge(active.headers["cache-control"]) * 1000, Math.max(0, leftOfWindow) + 1000)
      const { json } = yield* askWith(key, "/v1/crypto/series")
      assert.strictEqual(json.count, 1)
      assert.deepInclude(json.series[0], { id: "1", slug: "btc-up-or-down-5m", recurrence: "5m", active: true })
      const markets = yield* askWith(key, "/v1/crypto/markets")
      assert.isArray(markets.json.events)
      assert.isAtMost(maxAge(markets.headers["cache-control"]), 180)
      assert.strictEqual(markets.headers["x-ratelimit-limit"], "60")
    }),
  )

  it.effect("refusals explain the reason", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const wrong: ReadonlyArray<readonly [string, string]> = [
        ["/v1/crypto/candles", "symbol"],
        ["/v1/crypto/candles?symbol=EUR", "symbol"],
        ["/v1/crypto/candles?symbol=BTC&symbol=ETH", "symbol"],
        ["/v1/crypto/candles?symbol=BTC&limit=5", "limit"],
        ["/v1/crypto/price?symbol=BTC/USD&window=300", "symbol"],
        ["/v1/crypto/price?symbol=BTC", "window"],
        ["/v1/crypto/price?symbol=BTC&window=NaN", "window"],
        ["/v1/crypto/price?symbol=BTC&window=-300", "window"],
        ["/v1/crypto/price?symbol=BTC&window=300.5", "window"],
        [`/v1/crypto/price?symbol=BTC&window=${now}000`, "window"],
        [`/v1/crypto/price?symbol=BTC&window=${Math.floor(now / 300) * 300 + 1}`, "window"],
        [`/v1/crypto/price?symbol=BTC&window=${(Math.floor(now / 300) + 2) * 300}`, "window"],
        ["/v1/crypto/price?symbol=BTC&window=300&interval=7m", "interval"],
        ["/v1/crypto/active?x=1", "x"],
        ["/v1/crypto/series?x=1", "x"],
        ["/v1/crypto/markets?x=1", "x"],
      ]
      for (const [path, param] of wrong) {
        const { status, json } = yield* askWith(key, path)
        assert.deepStrictEqual([status, json.param], [400, param], `${path}: ${json.error}`)
      }
      const unknown = yield* askWith(key, "/v1/crypto/price?symbol=BTC&window=1500000000")
      assert.strictEqual(unknown.status, 404)
      assert.isString(unknown.json.hint)
      assert.strictEqual((yield* call(yield* boundPort, "/v1/crypto/candles?symbol=EUR")).status, 401)
    }),
  )
})
