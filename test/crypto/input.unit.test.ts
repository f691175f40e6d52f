import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { CryptoGroup } from "#http/crypto/group.ts"
import { wrongInput } from "#http/input/wrongInput.ts"
import { CoinOrFeed, CoinSymbol, WindowInterval, WindowSecond, WrongWindow } from "#src/crypto/model.ts"
import { boundsOf } from "#src/crypto/priceWindow.ts"
import { ActiveAnswer, CandlesAnswer, MarketsAnswer, PriceAnswer, SeriesAnswer } from "#src/crypto/shapes.ts"
import type { ErrorBody } from "#src/platform/http/errorBody.ts"

const Price = Schema.Struct({
  symbol: CoinSymbol,
  window: WindowSecond,
  interval: Schema.optionalKey(WindowInterval),
})
const Candles = Schema.Struct({ symbol: CoinOrFeed })

/** What a client is told, by the same means as at the edge. */
const refusal = <A>(schema: Schema.Decoder<A>, given: Record<string, unknown>): ErrorBody => {
  try {
    Schema.decodeUnknownSync(schema)(given)
  } catch (error) {
    if (Schema.isSchemaError(error)) return { ...wrongInput("Query", error, given) }
    throw error
  }
  throw new Error(`${JSON.stringify(given)} was accepted`)
}

const good = { symbol: "BTC", window: "1794700800" }

describe("What the crypto endpoints are asked", () => {
  it("names a coin by its symbol or feed in either case", () => {
    const read = (symbol: string) => Schema.decodeUnknownSync(Candles)({ symbol }).symbol
    assert.deepStrictEqual(["BTC", "btc", "BTC/USD", "hype/usd", "Eth"].map(read), ["BTC", "BTC", "BTC", "HYPE", "ETH"])
    assert.deepStrictEqual(Schema.decodeUnknownSync(Price)({ ...good, symbol: "doge", interval: "daily" }), {
      symbol: "DOGE",
      window: 1_794_700_800,
      interval: "daily",
    })
  })

  it.each(["", "BTCUSD", "BTC/EUR", "ZEC", "__proto__", " BTC", "BTC,ETH"])("is refused for the coin %j", (symbol) => {
    const told = refusal(Candles, { symbol })
    assert.strictEqual(told["param"], "symbol")
    assert.match(told.error, /expected one of BTC, ETH, SOL, BNB, XRP, DOGE, HYPE, or a feed name such as BTC\/USD/)
  })

  it("takes no feed name where a window is asked for", () => {
    const told = refusal(Price, { ...good, symbol: "BTC/USD" })
    assert.match(told.error, /"symbol": expected one of BTC, ETH, SOL, BNB, XRP, DOGE, HYPE, got "BTC\/USD"\.$/)
  })

  it.each([
    "NaN",
    "1.5",
    "-300",
    "1e9",
    "0x10",
    "",
    " 300",
    "Infinity",
    "abc",
  ])("is refused for the window %j", (window) => {
    const told = refusal(Price, { ...good, window })
    assert.strictEqual(told["param"], "window")
    assert.match(told.error, /expected the start of a window as a whole number of Unix seconds/)
  })

  it("is refused for a window that is no moment at all", () => {
    const told = refusal(Price, { ...good, window: "9".repeat(400) })
    assert.match(told.error, /^Parameter "window": expected a number of fewer digits, got "9+…\.$/)
  })

  it("is told when milliseconds or microseconds are given for seconds", () => {
    for (const window of [1794700800000, 1794700800000000]) {
      const told = boundsOf({ coin: "BTC", interval: "5m", window }, 1794700900000)
      assert.isTrue(told instanceof WrongWindow)
      if (!(told instanceof WrongWindow)) return
      assert.match(told.error, /expected Unix seconds, got \d+, which looks like milliseconds/)
      assert.match(told.hint, /^Did you mean 1794700800\?$/)
    }
  })

  it("names an interval that there is", () => {
    for (const interval of ["1m", "weekly", "5M", ""]) {
      const told = refusal(Price, { ...good, interval })
      assert.strictEqual(told["param"], "interval")
      assert.match(told.error, /expected one of "5m", "15m", "1h", "4h", "daily"/)
    }
  })

  it("is complete", () => {
    assert.match(
      refusal(Price, { window: "300" }).error,
      /Parameter "symbol" is required: one of BTC, .* HYPE; upper or lower case\.$/,
    )
    assert.match(
      refusal(Price, { symbol: "BTC" }).error,
      /Parameter "window" is required: the start of the window in Unix seconds\.$/,
    )
    assert.match(refusal(Price, { ...good, symbol: ["BTC", "ETH"] }).error, /takes one value but is given 2 times/)
  })
})

describe("The description of the crypto endpoints", () => {
  const document = OpenApi.fromApi(HttpApi.make("test").add(CryptoGroup))
  const paths = Object.entries(document.paths)

  it("has all five, each with its version, a curl line and an example that fits", () => {
    assert.deepStrictEqual(
      paths.map(([path]) => path),
      ["markets", "candles", "price", "active", "series"].map((name) => `/v1/crypto/${name}`),
    )
    for (const [path, { get }] of paths) {
      assert.propertyVal(get, "x-version", "2.0.0")
      assert.include(get?.description, `curl -H "x-api-key: $KEY" "localhost:8080${path}`)
      assert.include(JSON.stringify(get?.responses[200]), '"examples":[')
    }
    for (const schema of [ActiveAnswer, CandlesAnswer, MarketsAnswer, PriceAnswer, SeriesAnswer]) {
      const examples = schema.ast.annotations?.["examples"] as ReadonlyArray<unknown>
      for (const example of examples) assert.doesNotThrow(() => Schema.decodeUnknownSync(schema)(example))
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
