import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { candlesOf, candleTimes, type SourceCandle, timesWithout } from "#src/crypto/candlesOf.ts"
import { intervals, shownRecurrence, windowAt } from "#src/crypto/intervals.ts"
import { WrongWindow } from "#src/crypto/model.ts"
import { priceAt, type Reading } from "#src/crypto/priceAt.ts"
import { boundsOf } from "#src/crypto/priceWindow.ts"
import { exactAmount, exactPrice, type FinePrice, finePrice } from "#src/domain/amounts.ts"

const now = 1_794_700_800
const day = 86_400

describe("exactPrice and exactAmount", () => {
  it("serialize to exactly the digits of the value", () => {
    // A price below ten million dollars has at most fifteen digits.
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), (value) => {
        const digits = value.toString().padStart(9, "0")
        const text = `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, "")
        const written = JSON.stringify(exactPrice(finePrice(value)))
        assert.strictEqual(
          written.includes("e")
            ? Number(written)
                .toFixed(8)
                .replace(/\.?0+$/, "")
            : written,
          text,
        )
        assert.strictEqual(BigInt(Math.round(exactPrice(finePrice(value)) * 1e8)), value)
      }),
    )
    assert.strictEqual(JSON.stringify(exactPrice(finePrice(9_800_112_345_678n))), "98001.12345678")
    assert.strictEqual(JSON.stringify([515_000, 1, 0, -2_500_000n, null].map(exactAmount)), "[0.515,0.000001,0,-2.5,0]")
  })

  it("return the nearest double for values of any length and sign", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), fc.nat(40), (long, bits) => {
        const value = long >> BigInt(bits)
        const digits = (value < 0n ? -value : value).toString().padStart(7, "0")
        const nearest = Number(`${value < 0n ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}`)
        assert.strictEqual(exactAmount(value), nearest)
        if (Number.isSafeInteger(Number(value))) assert.strictEqual(exactAmount(Number(value)), nearest)
      }),
      { numRuns: 2000 },
    )
  })
})

describe("priceAt", () => {
  const reading = fc.record({
    sum: fc.bigInt({ min: 60n, max: 10n ** 15n }),
    count: fc.nat(60),
    last: fc.bigInt({ min: 1n, max: 10n ** 14n }).map((price) => finePrice(price)),
    lastAt: fc.integer({ min: now * 1000 - 200_000, max: now * 1000 - 1 }),
  })

  it("prefers the first source unless it is silent and another one is newer", () => {
    fc.assert(
      fc.property(reading, reading, ({ count: _, ...a }, { count: __, ...b }) => {
        const streams: Reading = { source: "oracle_data_streams", ...a, count: 0 }
        const platform: Reading = { source: "platform_oracle", ...b, count: 0 }
        const silent = (each: Reading) => each.lastAt < now * 1000 - 60_000
        const expected = silent(streams) && (!silent(platform) || platform.lastAt > streams.lastAt) ? platform : streams
        const chosen = priceAt([streams, platform], now * 1000)
        assert.deepStrictEqual(chosen, { price: expected.last, at: expected.lastAt })
      }),
    )
    assert.isUndefined(priceAt([], now * 1000))
  })

  it("returns the mean if there are ticks to average, rounded half up to a whole unit", () => {
    fc.assert(
      fc.property(reading, (each) => {
        const found = priceAt([{ source: "oracle_data_streams", ...each }], now * 1000)
        if (each.count === 0) return assert.strictEqual(found?.price, each.last)
        const count = BigInt(each.count)
        const difference = 2n * ((found?.price ?? 0n) * count - each.sum)
        assert.isTrue(difference > -count && difference <= count)
      }),
    )
  })
})

describe("Price windows", () => {
  it("follow each other without a gap and contain their moments", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...intervals),
        fc.integer({ min: 1_600_000_000, max: 2_200_000_000 }),
        (interval, at) => {
          const window = windowAt(interval, at)
          assert.isTrue(window.start <= at && at < window.end)
          assert.deepStrictEqual(windowAt(interval, window.start), window)
          assert.deepStrictEqual(windowAt(interval, window.end - 1), window)
          assert.strictEqual(windowAt(interval, window.end).start, window.end)
          if (interval === "daily") assert.include([23, 24, 25], (window.end - window.start) / 3_600)
        },
      ),
    )
  })

  it("of a day start at noon in New York, also when clocks change there", () => {
    const lengths = (from: string, days: number) => {
      let at = Date.parse(from) / 1000
      return Array.from({ length: days }, () => {
        const { start, end } = windowAt("daily", at)
        at = end
        return [new Date(start * 1000).toISOString().slice(5, 13), (end - start) / 3_600]
      })
    }
    assert.deepStrictEqual(lengths("2026-10-31T12:00:00Z", 3), [
      ["10-30T16", 24],
      ["10-31T16", 25],
      ["11-01T17", 24],
    ])
    assert.deepStrictEqual(lengths("2027-03-13T12:00:00Z", 3), [
      ["03-12T17", 24],
      ["03-13T17", 23],
      ["03-14T16", 24],
    ])
  })

  it("that do not exist are rejected with the nearest valid start", () => {
    const boundsText = (window: number, interval: (typeof intervals)[number] = "5m", at = now * 1000 + 120_500) => {
      const found = boundsOf({ coin: "BTC", interval, window }, at)
      return found instanceof WrongWindow ? `${found.param}: ${found.error} ${found.hint}` : found
    }
    assert.deepStrictEqual(boundsText(now), { start: now, end: now + 300 })
    assert.deepStrictEqual(boundsText(now + 300, "5m", (now + 300) * 1000), { start: now + 300, end: now + 600 })
    assert.match(
      String(boundsText(now + 300)),
      /^window: .* of 1794701100 lies in the future\. .* started at 1794700800\.$/,
    )
    assert.match(String(boundsText(now + 300, "5m", (now + 300) * 1000 - 1)), /lies in the future/)
    assert.match(
      String(boundsText(now - 1)),
      /not the start .* a multiple of 300; the nearest: 1794700500 or 1794700800\.$/,
    )
    assert.match(String(boundsText(now + 1)), /the nearest: 1794700800\.$/)
    assert.match(String(boundsText(now - 300, "15m")), /not the start of a 15m window/)
    assert.match(String(boundsText(now - day, "daily")), /noon in New York; the nearest: 1794589200 or 1794675600\.$/)
    assert.deepStrictEqual(boundsText(1_794_589_200, "daily"), { start: 1_794_589_200, end: 1_794_675_600 })
    assert.match(String(boundsText(0, "daily")), /not the start/)
    assert.deepStrictEqual(boundsText(0), { start: 0, end: 300 })
  })

  it("show recurrences under their API names", () => {
    const shown = ["5m", "15m", "hourly", "4h", "daily", "weekly", "monthly", "yearly"].map(shownRecurrence)
    assert.deepStrictEqual(shown, ["5m", "15m", "1h", "4h", "daily", "weekly", "monthly", "yearly"])
  })
})

describe("Candles", () => {
  const times = candleTimes(now + 299)

  it("are thirty and end with the current candle", () => {
    assert.strictEqual(times.length, 30)
    assert.strictEqual(times.at(-1), now)
    assert.strictEqual(times[0], now - 29 * 300)
    assert.strictEqual(candleTimes(now - 1).at(-1), now - 300)
  })

  it("use one source each, are flat without a tick and are left out only before the first price", () => {
    const price = fc.bigInt({ min: 1n, max: 10n ** 13n }).map((each) => finePrice(each))
    const spans = fc.uniqueArray(fc.record({ index: fc.nat(29), open: price, close: price }), {
      selector: ({ index }) => index,
    })
    const asSpan = ({ index, open, close }: { index: number; open: FinePrice; close: FinePrice }): SourceCandle => ({
      time: times[index] ?? 0,
      open,
      close,
      high: open > close ? open : close,
      low: open > close ? close : open,
      lastAt: 0,
    })
    fc.assert(
      fc.property(spans, spans, fc.option(price, { nil: undefined }), (first, second, before) => {
        const [a, b] = [first.map(asSpan), second.map(asSpan)]
        const candles = candlesOf(times, [a, b], before)
        const earliest = Math.min(...[...a, ...b].map(({ time }) => time))
        const start = before !== undefined ? 0 : times.filter((time) => time < earliest).length
        assert.deepStrictEqual(
          candles.map(({ time }) => time),
          times.slice(start),
        )
        for (const [index, candle] of candles.entries()) {
          const own = [a, b].map((each) => each.find(({ time }) => time === candle.time)).find((each) => each)
          const last = index === 0 ? exactPrice(before ?? finePrice(0n)) : (candles[index - 1]?.close ?? 0)
          const { open, high, low, close } = candle
          const flat = [last, last, last, last]
          const expected = own === undefined ? flat : [own.open, own.high, own.low, own.close].map(exactPrice)
          assert.deepStrictEqual([open, high, low, close], expected)
        }
        assert.deepStrictEqual(
          timesWithout(times, a),
          times.filter((time) => !a.some((span) => span.time === time)),
        )
      }),
    )
  })
})
