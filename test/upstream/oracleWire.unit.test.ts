import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import fc from "fast-check"
import { encodeAbiParameters, type Hex } from "viem"
import { coins } from "#src/domain/Tick.ts"
import { signedHeaders } from "#src/upstream/oracle/DataStreams.ts"
import { decodeReport, readFullReport } from "#src/upstream/oracle/report.ts"
import { readRtdsFrame, rtdsSubscription } from "#src/upstream/oracle/rtdsWire.ts"
import { feedIds, fromEighteenDecimals, fromNumber } from "#src/upstream/oracle/wireValues.ts"
import { quoteOf } from "#test/support/quoteOf.ts"

const blobTypes = ["bytes32", "uint32", "uint32", "uint192", "uint192", "uint32", "int192", "int192", "int192"]
const fullTypes = ["bytes32[3]", "bytes", "bytes32[]", "bytes32[]", "bytes32"]
const typed = (types: ReadonlyArray<string>) => types.map((type) => ({ type }))

const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((n): Hex => `0x${n.toString(16).padStart(64, "0")}`)
const amount = fc.bigInt({ min: -(2n ** 191n), max: 2n ** 191n - 1n })
const second = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const feed = fc.constantFrom(...coins).map((coin) => feedIds[coin] as Hex)

const reports = fc.record({
  feed,
  observed: second,
  amounts: fc.tuple(amount, amount, amount),
  context: fc.tuple(word, word, word),
  rs: fc.array(word, { maxLength: 20 }),
  vs: word,
})

const encoded = ({
  feed,
  observed,
  amounts,
  context,
  rs,
  vs,
}: typeof reports extends fc.Arbitrary<infer A> ? A : never) => {
  const blob = encodeAbiParameters(typed(blobTypes), [feed, observed, observed, 1n, 2n, observed, ...amounts])
  return encodeAbiParameters(typed(fullTypes), [context, blob, rs, rs, vs])
}

const envelope = (fullReport: string, more: object = {}) => ({
  feedID: feedIds.BTC,
  validFromTimestamp: 1_794_700_800,
  observationsTimestamp: 1_794_700_800,
  fullReport,
  ...more,
})

const btc = (price: bigint) =>
  encoded({
    feed: feedIds.BTC as Hex,
    observed: 1_794_700_800,
    amounts: [price, price - 10n ** 18n, price + 10n ** 18n],
    context: [`0x${"1".padStart(64, "0")}`, `0x${"2".padStart(64, "0")}`, `0x${"3".padStart(64, "0")}`],
    rs: [],
    vs: `0x${"0".repeat(64)}`,
  })

describe("Oracle reports", () => {
  it("are decoded by their layout like an ABI decoder does", () => {
    fc.assert(
      fc.property(reports, (report) => {
        assert.deepStrictEqual(readFullReport(encoded(report)), {
          feedId: report.feed,
          observedAt: report.observed,
          price: report.amounts[0],
          bid: report.amounts[1],
          ask: report.amounts[2],
        })
      }),
    )
  })

  it("that are truncated or altered return a reason and never throw", () => {
    fc.assert(
      fc.property(reports, fc.nat(), fc.string(), (report, at, noise) => {
        const whole = encoded(report)
        assert.isUndefined(readFullReport(whole.slice(0, 2 + (at % (16 * 64)))))
        const broken = envelope(`${whole.slice(0, at % whole.length)}${noise}`)
        assert.isTrue(Result.isFailure(decodeReport(broken)))
      }),
    )
    for (const nonsense of [null, 1, "x", [], {}, envelope("0x"), envelope("0xzz"), envelope("0x00", { feedID: 3 })]) {
      assert.isTrue(Result.isFailure(decodeReport(nonsense)))
    }
  })

  it("must match the feed and time of their envelope and have positive prices", () => {
    const good = decodeReport(envelope(btc(98_000n * 10n ** 18n)))
    assert.deepStrictEqual(Result.getOrThrow(good), {
      coin: "BTC",
      at: 1_794_700_800_000,
      price: 9_800_000_000_000n,
      bid: 9_799_900_000_000n,
      ask: 9_800_100_000_000n,
    })
    const reason = (more: object, price = 98_000n * 10n ** 18n) => {
      const result = decodeReport(envelope(btc(price), more))
      return Result.isFailure(result) ? result.failure : "read"
    }
    assert.match(reason({ feedID: feedIds.ETH }), /unexpected feed/)
    assert.match(reason({ observationsTimestamp: 1_794_700_801 }), /times of the report/)
    assert.match(reason({ observationsTimestamp: "1794700800" }), /Expected number|Expected/)
    assert.match(reason({}, -5n), /not positive/)
  })

  it("round excess decimals half up", () => {
    assert.strictEqual(fromEighteenDecimals(14_999_999_999n), 1n)
    assert.strictEqual(fromEighteenDecimals(15_000_000_000n), 2n)
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (price) => {
        assert.strictEqual(fromEighteenDecimals(price * 10n ** 10n), price)
        assert.strictEqual(fromNumber(Number(price) / 1e8), price)
      }),
    )
  })
})

describe("signedHeaders", () => {
  it("matches an independently computed signature", () => {
    const credentials = { id: "00000000-0000-4000-8000-000000000001", secret: Redacted.make("simulated-secret") }
    const url = "https://api.dataengine.chain.link/api/v1/reports/page?feedID=0x0003&startTimestamp=1&limit=2"
    assert.deepStrictEqual(signedHeaders(credentials, url, 1_794_700_800_000), {
      authorization: "00000000-0000-4000-8000-000000000001",
      "x-authorization-timestamp": "1794700800000",
      "x-authorization-signature-sha256": "bd198cb581e6a0caa7abec4cef22bfdf3e83582e902c198a81261777b4a9fed1",
    })
  })
})

describe("readRtdsFrame", () => {
  const frame = (type: string, payload: unknown, topic = "crypto_prices_chainlink") =>
    readRtdsFrame(JSON.stringify({ connection_id: "x", topic, type, timestamp: 1_794_700_800_123, payload }))
  const tick = (price: bigint, at = 1_794_700_800_000) => ({ coin: "BTC" as const, at, ...quoteOf(price) })

  it("reads a price at full accuracy", () => {
    const update = { symbol: "btc/usd", timestamp: 1_794_700_800_000, value: 98_000.12 }
    assert.deepStrictEqual(
      frame("update", { ...update, full_accuracy_value: "98000123456789012345678" }),
      Result.succeed({
        kind: "update",
        tick: tick(9_800_012_345_679n),
      }),
    )
    assert.deepStrictEqual(frame("update", update), Result.succeed({ kind: "update", tick: tick(9_800_012_000_000n) }))
  })

  it("reads a snapshot in order of time and collects undecodable rows", () => {
    const row = (timestamp: unknown, value: unknown) => ({ timestamp, value })
    const data = [
      row(1_794_700_801_000, 2),
      row(1_794_700_800_000, 1.5),
      row("1794700802000", 3),
      row(1_794_700_803_000, null),
    ]
    assert.deepStrictEqual(
      frame("subscribe", { symbol: "BTC/USD", data }),
      Result.succeed({
        kind: "snapshot",
        coin: "BTC",
        ticks: [tick(150_000_000n), tick(200_000_000n, 1_794_700_801_000)],
        unread: data.slice(2),
      }),
    )
  })

  it("ignores other topics and returns a reason for malformed frames", () => {
    const other = Result.succeed({ kind: "other" as const })
    assert.deepStrictEqual(frame("update", {}, "activity"), other)
    assert.deepStrictEqual(frame("update", { symbol: "zec/usd", timestamp: 1, value: 1 }), other)
    assert.deepStrictEqual(frame("pong", {}), other)
    for (const payload of [
      null,
      {},
      { symbol: "btc/usd", timestamp: "1", value: 1 },
      { symbol: null, timestamp: 1, value: 1 },
    ]) {
      assert.isTrue(Result.isFailure(frame("update", payload)))
    }
    const inexact = { symbol: "btc/usd", timestamp: 1, value: 1, full_accuracy_value: 1e18 }
    assert.isTrue(Result.isFailure(frame("update", inexact)))
    for (const text of ["", "{", "[]", "null", '\u0000<ab{"']) assert.isTrue(Result.isFailure(readRtdsFrame(text)))
  })

  it("subscribes to each coin separately, which returns a snapshot of each", () => {
    const { action, subscriptions } = JSON.parse(rtdsSubscription("spot")) as {
      action: string
      subscriptions: Array<unknown>
    }
    assert.strictEqual(action, "subscribe")
    assert.lengthOf(subscriptions, coins.length)
    assert.deepStrictEqual(subscriptions[0], {
      topic: "crypto_prices_chainlink",
      type: "*",
      filters: '{"symbol":"btc/usd"}',
    })
  })
})
