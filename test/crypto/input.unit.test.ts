import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { CryptoGroup } from "#http/crypto/group.ts"
import { wrongInput } from "#http/input/wrongInput.ts"
import { CoinOrFeed, CoinSymbol, WindowInterval, WindowSecond, WrongWindow } from "#src/crypto/model.ts"
import { boundsOf } from "#src/crypto/priceWindow.ts"
import type { ErrorBody } from "#src/platform/http/errorBody.ts"

const Price = Schema.Struct({
  symbol: CoinSymbol,
  window: WindowSecond,
  interval: Schema.optionalKey(WindowInterval),
})
const Candles = Schema.Struct({ symbol: CoinOrFeed })

/** The error body that the server returns. */
const errorOf = <A>(schema: Schema.Decoder<A>, given: Record<string, unknown>): ErrorBody => {
  try {
    Schema.decodeUnknownSync(schema)(given)
  } catch (error) {
    if (Schema.isSchemaError(error)) return { ...wrongInput("Query", error, given) }
    throw error
  }
  throw new Error(`${JSON.stringify(given)} was accepted`)
}

const valid = { symbol: "BTC", window: "1794700800" }

describe("Input of the crypto endpoints", () => {
  it("accepts a coin by symbol or feed name in either case", () => {
    const read = (symbol: string) => Schema.decodeUnknownSync(Candles)({ symbol }).symbol
    assert.deepStrictEqual(["BTC", "btc", "BTC/USD", "hype/usd", "Eth"].map(read), ["BTC", "BTC", "BTC", "HYPE", "ETH"])
    assert.deepStrictEqual(Schema.decodeUnknownSync(Price)({ ...valid, symbol: "doge", interval: "daily" }), {
      symbol: "DOGE",
      window: 1_794_700_800,
      interval: "daily",
    })
  })

  it.each(["", "BTCUSD", "BTC/EUR", "ZEC", "__proto__", " BTC", "BTC,ETH"])("rejects the coin %j", (symbol) => {
    const body = errorOf(Candles, { symbol })
    assert.strictEqual(body["param"], "symbol")
    assert.match(body.error, /expected one of BTC, ETH, SOL, BNB, XRP, DOGE, HYPE, or a feed name such as BTC\/USD/)
  })

  it("rejects a feed name for a price window", () => {
    const body = errorOf(Price, { ...valid, symbol: "BTC/USD" })
    assert.match(body.error, /"symbol": expected one of BTC, ETH, SOL, BNB, XRP, DOGE, HYPE, got "BTC\/USD"\.$/)
  })

  it.each(["NaN", "1.5", "-300", "1e9", "0x10", "", " 300", "Infinity", "abc"])("rejects the window %j", (window) => {
    const body = errorOf(Price, { ...valid, window })
    assert.strictEqual(body["param"], "window")
    assert.match(body.error, /expected the start of a window as a whole number of Unix seconds/)
  })

  it("rejects a window with too many digits", () => {
    const body = errorOf(Price, { ...valid, window: "9".repeat(400) })
    assert.match(body.error, /^Parameter "window": expected a number of fewer digits, got "9+…\.$/)
  })

  it("suggests seconds for a window in milliseconds or microseconds", () => {
    for (const window of [1794700800000, 1794700800000000]) {
      const body = boundsOf({ coin: "BTC", interval: "5m", window }, 1794700900000)
      assert.isTrue(body instanceof WrongWindow)
      if (!(body instanceof WrongWindow)) return
      assert.match(body.error, /expected Unix seconds, got \d+, which looks like milliseconds/)
      assert.match(body.hint, /^Did you mean 1794700800\?$/)
    }
  })

  it("rejects an unknown interval", () => {
    for (const interval of ["1m", "weekly", "5M", ""]) {
      const body = errorOf(Price, { ...valid, interval })
      assert.strictEqual(body["param"], "interval")
      assert.match(body.error, /expected one of "5m", "15m", "1h", "4h", "daily"/)
    }
  })

  it("requires each parameter exactly once", () => {
    assert.match(
      errorOf(Price, { window: "300" }).error,
      /Parameter "symbol" is required: one of BTC, .* HYPE; upper or lower case\.$/,
    )
    assert.match(
      errorOf(Price, { symbol: "BTC" }).error,
      /Parameter "window" is required: the start of the window in Unix seconds\.$/,
    )
    assert.match(errorOf(Price, { ...valid, symbol: ["BTC", "ETH"] }).error, /takes one value but is given 2 times/)
  })
})

describe("OpenAPI of the crypto endpoints", () => {
  const document = OpenApi.fromApi(HttpApi.make("test").add(CryptoGroup))
  const paths = Object.entries(document.paths)

  it("documents all five, each with its version, a curl line and a named answer", () => {
    assert.deepStrictEqual(
      paths.map(([path]) => path),
      ["markets", "candles", "price", "active", "series"].map((name) => `/v1/crypto/${name}`),
    )
    for (const [path, { get }] of paths) {
      assert.propertyVal(get, "x-version", "2.0.0")
      assert.include(get?.description, `curl -H "x-api-key: $KEY" "$URL${path}`)
      assert.match(JSON.stringify(get?.responses[200]), /"\$ref":"#\/components\/schemas\/\w+"/)
    }
  })

  it("describes every parameter", () => {
    for (const [, { get }] of paths)
      for (const parameter of get?.parameters ?? []) assert.property(parameter.schema, "description")
    const price = document.paths["/v1/crypto/price"]?.get?.parameters ?? []
    assert.deepStrictEqual(
      price.map(({ name, required }) => [name, required]),
      [
        ["symbol", true],
        ["window", true],
        ["interval", false],
      ],
    )
  })
})
