import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { asLines } from "#http/trades/frames.ts"
import { chooseFormat } from "#http/v3/formats.ts"
import { shares, usdc } from "#src/domain/amounts.ts"
import { amountText, priceText } from "#src/trades/amountTexts.ts"
import { writePage } from "#src/trades/lines.ts"
import { PackedTrades } from "#src/trades/packedTrades.ts"

/** Digits by long division. */
const divided = (numerator: bigint, denominator: bigint, places: number): string => {
  const scale = 10n ** BigInt(places)
  const doubled = 2n * numerator * scale
  const units = doubled / denominator / 2n + ((doubled / denominator) % 2n)
  const [whole, rest] = [units / scale, units % scale]
  return `${whole}.${rest.toString().padStart(places, "0")}`.replace(/0+$/, "").replace(/\.$/, "")
}

const amount = fc.oneof(
  fc.bigInt(0n, 10n ** 8n),
  fc.bigInt(0n, 2n ** 53n),
  fc.bigInt(0n, 10n ** 18n),
  fc.constantFrom(0n, 1n, 999_999n, 1_000_000n, 10n ** 15n - 1n, 10n ** 15n),
)
/** Amounts as they are read: numbers while they are safe. */
const asRead = (value: bigint) => (value <= Number.MAX_SAFE_INTEGER ? Number(value) : value)

describe("Amounts in exports", () => {
  it("have all their digits and no trailing zeros", () => {
    fc.assert(
      fc.property(amount, (value) => {
        assert.strictEqual(amountText(asRead(value)), divided(value, 1_000_000n, 6))
      }),
    )
  })

  it("give prices with four decimals, rounded half up, also beyond exact numbers", () => {
    fc.assert(
      fc.property(amount, amount, (usd, count) => {
        const text = priceText(usdc(asRead(usd)), shares(asRead(count)))
        if (count === 0n) assert.strictEqual(text, "0")
        // Higher prices do not occur; their digits would not fit a number.
        else if (usd < count * 10n ** 9n) assert.strictEqual(text, divided(usd, count, 4))
      }),
    )
    assert.strictEqual(priceText(usdc(125), shares(1_000_000)), "0.0001")
    assert.strictEqual(priceText(usdc(50), shares(1_000_000)), "0.0001")
    assert.strictEqual(priceText(usdc(49), shares(1_000_000)), "0")
  })
})

describe("Fees in exports", () => {
  /** A fill of 10 shares for 4 dollars, as Postgres packs it. */
  const page = (fee: bigint, refund: bigint, isFeeInShares: boolean) => {
    const bytes = Buffer.alloc(122)
    for (const [place, value] of [
      [84, 10_000_000n],
      [92, 4_000_000n],
      [100, fee],
      [108, refund],
    ] as const)
      bytes.writeBigInt64BE(value, place)
    bytes.writeInt16BE(isFeeInShares ? 2 : 0, 116)
    return { trades: new PackedTrades(bytes), count: 1, isFirst: true, names }
  }
  const names = { wallet: () => "", token: () => "0" }

  it("are what the wallet paid in the end, beside what it was charged", () => {
    for (const [fee, refund, isInShares, net, gross] of [
      [100_000n, 80_000n, true, 0.008, 0.04],
      [23_864n, 19_091n, false, 0.004773, 0.023864],
      [5n, 0n, false, 0.000005, 0.000005],
      [0n, 0n, true, 0, 0],
    ] as const) {
      const shown = JSON.parse(writePage("json", page(fee, refund, isInShares)).toString())
      assert.deepStrictEqual([shown.fee, shown.gross_fee], [net, gross])
      const cells = writePage("csv", page(fee, refund, isInShares))
        .toString()
        .trim()
        .split(",")
      assert.deepStrictEqual(cells.slice(-2).map(Number), [net, gross])
    }
  })
})

describe("chooseFormat and asLines", () => {
  it("chooseFormat returns the preferred acceptable format, JSON by default, and undefined if none is acceptable", () => {
    const cases: ReadonlyArray<readonly [string | undefined, string | undefined]> = [
      [undefined, "json"],
      ["", "json"],
      ["*/*", "json"],
      ["application/json", "json"],
      ["application/x-ndjson", "ndjson"],
      ["text/csv", "csv"],
      ["TEXT/CSV; charset=utf-8", "csv"],
      ["text/*", "csv"],
      ["application/*", "json"],
      ["text/html, */*;q=0.1", "json"],
      ["application/json;q=0.5, text/csv;q=0.9", "csv"],
      ["application/json;q=0, */*", "ndjson"],
      ["application/json;q=2, text/csv;q=0.1", "csv"],
      ["text/html", undefined],
      ["application/json;q=0", undefined],
    ]
    for (const [accept, format] of cases) assert.strictEqual(chooseFormat(accept), format, accept)
  })

  it("asLines returns the objects of the array, wherever its pages were split", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer(), { minLength: 1 })), (pages) => {
        const written = pages.map((page, i) =>
          Buffer.from(`${i === 0 ? "" : ",\n"}${page.map((n) => JSON.stringify({ n })).join(",\n")}`),
        )
        const text = Buffer.concat(written.map(asLines)).toString()
        assert.deepStrictEqual(text === "" ? [] : text.split("\n").map((line) => JSON.parse(line).n), pages.flat())
      }),
    )
  })
})
