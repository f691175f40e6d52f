import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { tickSources } from "#src/domain/Tick.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { midnight, plainQuery, seconds, store } from "#test/ticks/segmentsSupport.ts"
import { bytesOf } from "./support/bytes.ts"
import { call } from "./support/client.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { apiServer, boundPort } from "./support/server.ts"

const [streams, platform, averages] = tickSources
const isSoak = process.env.PRESAGE_SOAK === "1"
const hour = 3_600_000
const from = midnight - hour
const to = midnight + hour

const addressOf = (query: Record<string, string | number>) =>
  `/v1/crypto/ticks?${Object.entries({ symbol: "BTC", from, to, ...query })
    .map(([name, value]) => `${name}=${value}`)
    .join("&")}`

/** The expected answer. */
const expected = (query: {
  readonly from: number
  readonly to: number
  readonly limit: number
  readonly source?: (typeof tickSources)[number]
}) =>
  Effect.map(plainQuery({ coin: "BTC", source: undefined, ...query }), (ticks) => {
    const truncated = ticks.length === query.limit
    const source = query.source === undefined ? "null" : `"${query.source}"`
    return `{"symbol":"BTC","feed":"BTC/USD","from":${query.from},"to":${query.to},"limit":${query.limit},"count":${ticks.length},"truncated":${truncated},"source":${source},"ticks":[${ticks.join(",")}]}`
  })

const world = TickStore.layer.pipe(Layer.provideMerge(apiServer))

layer(world, { excludeTestServices: true })("GET /v1/crypto/ticks", (it) => {
  it.effect("returns the ticks of all sources in order, or of one source", () =>
    Effect.gen(function* () {
      yield* store(
        streams,
        seconds("BTC", from, to, (second) => second % 97 === 0),
      )
      yield* store(
        platform,
        seconds("BTC", midnight, to, (second) => second % 5 === 0),
      )
      for (const source of tickSources) yield* store(source, seconds("BTC", to + hour, to + hour + 2_000))
      const { key } = yield* keyOf("growth")
      const all = yield* askWith(key, addressOf({}))
      assert.strictEqual(all.status, 200)
      assert.strictEqual(all.text, yield* expected({ from, to, limit: 10_000 }))
      assert.strictEqual(all.headers["content-type"], "application/json")
      assert.strictEqual(all.headers["content-length"], String(all.text.length))
      const one = yield* askWith(key, addressOf({ source: platform, limit: 100_000 }))
      assert.strictEqual(one.text, yield* expected({ from, to, limit: 100_000, source: platform }))
      assert.isFalse(one.json.truncated)
    }),
  )

  it.effect("B5: returns the averages that markets settle on only if asked for, each saying so", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const start = to + 3 * hour
      yield* store(averages, seconds("BTC", start, start + 2_000_000))
      const range = { from: start, to: start + 2_000_000, limit: 10_000 }
      assert.strictEqual((yield* askWith(key, addressOf(range))).json.count, 0)
      const asked = yield* askWith(key, addressOf({ ...range, source: averages }))
      assert.strictEqual(asked.text, yield* expected({ ...range, source: averages }))
      assert.strictEqual(asked.headers["content-length"], String(asked.text.length))
      assert.isAbove(asked.json.count, 0)
      assert.deepInclude(asked.json.ticks[0], { source: averages, is_twap: true, twap_window_seconds: 60 })
    }),
  )

  it.effect("includes `from` and excludes `to`", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const moments = (query: Record<string, string | number>) =>
        Effect.map(askWith(key, addressOf({ source: streams, ...query })), ({ json }) =>
          json.ticks.map(({ timestamp_ms }: { timestamp_ms: number }) => timestamp_ms - midnight),
        )
      assert.deepStrictEqual(yield* moments({ from: midnight + 1_000, to: midnight + 3_000 }), [1_000, 2_000])
      assert.deepStrictEqual(yield* moments({ from: midnight + 1_001, to: midnight + 3_001 }), [2_000, 3_000])
      assert.deepStrictEqual(yield* moments({ from: midnight + 1_001, to: midnight + 1_002 }), [])
    }),
  )

  it.effect("is truncated exactly when it has `limit` ticks", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const range = { source: streams, from: midnight + 1_000, to: midnight + 11_000 }
      for (const [limit, count, truncated] of [
        [1, 1, true],
        [9, 9, true],
        [10, 10, true],
        [11, 10, false],
      ] as const) {
        const { json } = yield* askWith(key, addressOf({ ...range, limit }))
        assert.deepInclude(json, { limit, count, truncated })
        assert.strictEqual(json.ticks.length, count)
      }
      assert.strictEqual((yield* askWith(key, addressOf(range))).json.limit, 10_000)
    }),
  )

  it.effect("is empty before the history and for a coin without ticks", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const early = yield* askWith(key, addressOf({ from: 0, to: 1_000 }))
      assert.strictEqual(early.text, yield* expected({ from: 0, to: 1_000, limit: 10_000 }))
      const other = yield* askWith(key, addressOf({ symbol: "HYPE" }))
      assert.deepInclude(other.json, { symbol: "HYPE", feed: "HYPE/USD", count: 0, truncated: false, ticks: [] })
      assert.isUndefined(other.headers["x-data-age-ms"])
    }),
  )

  it.effect("has the age of the newest tick of the feed, independent of the range", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const now = Math.floor(yield* Clock.currentTimeMillis)
      const newest = now - (now % 1000) - 5_000
      yield* store(streams, seconds("XRP", newest, newest + 1_000))
      const { headers } = yield* askWith(key, addressOf({ symbol: "XRP", from: 0, to: 1_000 }))
      const age = Number(headers["x-data-age-ms"])
      assert.isAtLeast(age, now - newest)
      assert.isBelow(age, 60_000)
    }),
  )

  it.effect("is the same in every encoding, and small answers are not compressed", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const port = yield* boundPort
      const ask = (encoding: string, query = {}) =>
        bytesOf(port, addressOf(query), { "x-api-key": key, "accept-encoding": encoding })
      const plain = yield* ask("identity")
      const ways = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
      for (const [encoding, decompress] of Object.entries(ways)) {
        const { headers, bytes } = yield* ask(encoding)
        assert.strictEqual(headers["content-encoding"], encoding)
        assert.include(headers.vary, "accept-encoding")
        assert.isBelow(bytes.length, plain.bytes.length / 4)
        assert.isTrue(decompress(bytes).equals(plain.bytes))
      }
      const small = yield* ask("gzip", { to: from + 3_000, source: streams })
      assert.isUndefined(small.headers["content-encoding"])
      assert.strictEqual(
        (yield* askWith(key, addressOf({}), { headers: { "accept-encoding": "identity;q=0" } })).status,
        406,
      )
    }),
  )

  it.effect("has the same headers for HEAD", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const port = yield* boundPort
      const get = yield* bytesOf(port, addressOf({}), { "x-api-key": key })
      const head = yield* bytesOf(port, addressOf({}), { "x-api-key": key }, { method: "HEAD" })
      assert.strictEqual(head.bytes.length, 0)
      assert.strictEqual(head.headers["content-length"], get.headers["content-length"])
    }),
  )

  it.effect.each([
    ["no symbol", "from=1&to=2", "symbol", /"symbol" is required: one of BTC, .*HYPE; upper or lower case/],
    ["an unknown symbol", "symbol=LTC&from=1&to=2", "symbol", /expected one of BTC, .*HYPE, got "LTC"/],
    ["a feed name", "symbol=BTC/USD&from=1&to=2", "symbol", /expected one of/],
    ["no from", "symbol=BTC&to=2", "from", /"from" is required: start of the range, in Unix milliseconds/],
    ["no to", "symbol=BTC&from=2", "to", /"to" is required/],
    ["not a number", "symbol=BTC&from=yesterday&to=2", "from", /expected a number, got "yesterday"/],
    ["NaN", "symbol=BTC&from=NaN&to=2", "from", /expected/],
    ["Infinity", "symbol=BTC&from=1&to=Infinity", "to", /expected/],
    ["a fraction", "symbol=BTC&from=1.5&to=2", "from", /expected an integer, got "1.5"/],
    ["negative", "symbol=BTC&from=-5&to=2", "from", /expected a value greater than or equal to 0, got "-5"/],
    ["empty", "symbol=BTC&from=&to=2", "from", /expected/],
    ["too large to be exact", "symbol=BTC&from=1&to=9007199254740993", "to", /expected/],
    ["twice", "symbol=BTC&from=1&from=2&to=3", "from", /given 2 times/],
    ["seconds", "symbol=BTC&from=1794700800&to=1794704400", "from", /looks like seconds/],
    ["seconds at the end only", "symbol=BTC&from=5&to=1794704400", "to", /looks like seconds/],
    ["microseconds", "symbol=BTC&from=1794700800000000&to=1794700800000001", "from", /thousands of years/],
    ["an empty range", "symbol=BTC&from=7&to=7", "to", /expected a time after "from" \(7\), got 7/],
    ["backwards", "symbol=BTC&from=8&to=7", "to", /expected a time after "from"/],
    [
      "more than a day",
      "symbol=BTC&from=5&to=86400006",
      "to",
      /at most 24 hours \(86400000 ms\) after "from", got 86400001 ms/,
    ],
    ["a limit of 0", "symbol=BTC&from=1&to=2&limit=0", "limit", /between 1 and 100000, got "0"/],
    ["a limit too high", "symbol=BTC&from=1&to=2&limit=100001", "limit", /between 1 and 100000/],
    ["half a limit", "symbol=BTC&from=1&to=2&limit=0.5", "limit", /expected an integer/],
    [
      "an unknown source",
      "symbol=BTC&from=1&to=2&source=coinbase",
      "source",
      /"oracle_data_streams", "platform_oracle"/,
    ],
    ["an empty source", "symbol=BTC&from=1&to=2&source=", "source", /expected one of/],
    ["something misspelt", "symbol=BTC&from=1&to=2&limits=5", "limits", /Did you mean "limit"\?/],
  ] as const)("refuses %s", ([, query, param, error]) =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const { status, json } = yield* askWith(key, `/v1/crypto/ticks?${query}`)
      assert.strictEqual(status, 400)
      assert.strictEqual(json.param, param)
      assert.match(json.error, error)
      if (/looks like|thousands/.test(json.error)) assert.match(json.hint, /Multiply by 1000|Convert/)
    }),
  )

  it.effect("accepts a range of exactly one day", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      assert.strictEqual((yield* askWith(key, addressOf({ from: midnight, to: midnight + 24 * hour }))).status, 200)
    }),
  )

  it.effect("requires a key, and is documented with an example and a curl command", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      assert.strictEqual((yield* call(port, addressOf({}))).status, 401)
      const { json } = yield* call(port, "/openapi.json")
      const { get } = json.paths["/v1/crypto/ticks"]
      assert.match(get.description, /curl .*\/v1\/crypto\/ticks\?symbol=BTC/)
      assert.sameMembers(
        get.parameters.map(({ name }: { name: string }) => name),
        ["symbol", "from", "to", "limit", "source"],
      )
      assert.match(JSON.stringify(get.responses["200"].content["application/json"].example), /"id":"\d+-\d+"/)
    }),
  )

  it.effect("is complete for many slow clients while ticks arrive late and in pages", () =>
    Effect.gen(function* () {
      const [readers, length] = isSoak ? [64, 24 * hour] : [12, hour]
      const end = midnight + 30 * hour
      const begin = end - length
      const { key } = yield* keyOf("enterprise")
      const port = yield* boundPort
      yield* store(
        platform,
        seconds("ETH", begin, end, (second) => second % 10 === 3),
      )
      yield* store(
        streams,
        seconds("ETH", begin, end, (second) => second % 300 > 200),
      )
      const last = begin + Math.min(24 * hour, length + hour / 2)
      const address = addressOf({ symbol: "ETH", from: begin, to: last, limit: 100_000 })
      const reading = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: readers }),
          (_, i) =>
            bytesOf(
              port,
              i % 2 === 0 ? `${address}&source=${streams}` : address,
              { "x-api-key": key },
              { isSlow: true },
            ),
          {
            concurrency: "unbounded",
          },
        ),
      )
      const writing = yield* Effect.forkChild(
        Effect.gen(function* () {
          for (let page = 0; page < 5; page++) {
            const at = end - (page + 1) * 900_000
            yield* store(streams, seconds("ETH", at, at + 900_000))
            yield* store(platform, seconds("ETH", end + page * 5_000, end + (page + 1) * 5_000))
          }
        }),
      )
      const answers = yield* Fiber.join(reading)
      yield* Fiber.join(writing)
      for (const { headers, bytes } of answers) {
        assert.strictEqual(headers["content-length"], String(bytes.length))
        const { count, ticks } = JSON.parse(bytes.toString())
        assert.strictEqual(ticks.length, count)
        assert.isAbove(count, (length / 1000) * 0.6)
        const order = ticks.map(
          ({ timestamp_ms, source }: { timestamp_ms: number; source: string }) => `${timestamp_ms} ${source}`,
        )
        assert.isTrue(order.every((each: string, i: number) => i === 0 || each > order[i - 1]))
      }
      const { text } = yield* askWith(key, address)
      const plain = yield* plainQuery({ coin: "ETH", source: undefined, from: begin, to: last, limit: 100_000 })
      assert.strictEqual(text.slice(text.indexOf("[")), `[${plain.join(",")}]}`)
    }),
  )
})
