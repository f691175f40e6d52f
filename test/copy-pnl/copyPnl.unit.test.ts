import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  CopyPnl,
  codeOf,
  copiedCost,
  copiedProceeds,
  type FactColumns,
  isToxic,
  mostOfOne,
  slippageRate,
} from "#src/copy-pnl/copyPnl.ts"
import { ExactSum } from "#src/copy-pnl/ExactSum.ts"
import { shares, usdc } from "#src/domain/amounts.ts"
import { referenceCopyPnl, type WalletAction } from "./support/referenceCopyPnl.ts"

const day = 86_400_000
const until = 1_794_700_800_000
const windows = [7, 14, 30, 60, 90, 180]
const afters = windows.map((days) => until - days * day)

const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 300n }),
  fc.bigInt({ min: 0n, max: 10_000_000_000n }),
  fc.bigInt({ min: 0n, max: BigInt(mostOfOne) }),
)
/** Also at the exact ends of windows, and after the last one. */
const time = fc.oneof(
  fc.integer({ min: until - 200 * day, max: until + day }),
  fc
    .tuple(fc.constantFrom(0, ...windows), fc.integer({ min: -1, max: 1 }))
    .map(([days, off]) => until - days * day + off),
)
const action: fc.Arbitrary<WalletAction> = fc.oneof(
  fc.record({ kind: fc.constantFrom("buy" as const, "sell" as const), at: time, shares: amount, usd: amount }),
  fc.record({
    kind: fc.constantFrom("split" as const, "merge" as const, "redemption" as const, "conversion" as const),
    at: time,
    usd: amount,
  }),
)

const columns = (actions: ReadonlyArray<WalletAction>): FactColumns => ({
  count: actions.length,
  at: Float64Array.from(actions, ({ at }) => at),
  kind: Uint8Array.from(actions, ({ kind }) => codeOf(kind)),
  shares: Float64Array.from(actions, (each) => ("shares" in each ? Number(each.shares) : 0)),
  usd: Float64Array.from(actions, ({ usd }) => Number(usd)),
})

describe("CopyPnl", () => {
  it("equals the reference implementation for any history, in pages of any size and order", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (actions, page) => {
        const score = new CopyPnl(until, afters)
        for (let i = 0; i < actions.length; i += page) score.add(columns(actions.slice(i, i + page)))
        assert.deepStrictEqual(
          score.scores(),
          windows.map((days) => referenceCopyPnl(actions, until, days)),
        )
        const counted = actions.filter(({ at }) => at <= until && at > until - 180 * day)
        for (const [kind, count] of Object.entries(score.counts())) {
          assert.strictEqual(count, counted.filter((each) => each.kind === kind).length, kind)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it("is never better than the wallet's own P&L if no share costs more than 1", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        const score = new CopyPnl(until, afters)
        score.add(
          columns(actions.map((each) => (each.kind === "buy" ? { ...each, shares: each.shares + each.usd } : each))),
        )
        for (const { actual, backtest } of score.scores()) assert.isTrue(backtest <= actual)
      }),
    )
  })

  it("buys cost 2 % more and sales yield 2 % less, rounded half up, and no share costs more than 1.00", () => {
    assert.deepStrictEqual(
      [
        copiedCost(usdc(500_000), shares(1_000_000)),
        copiedCost(usdc(990_000), shares(1_000_000)),
        copiedCost(usdc(1_000_000), shares(1_000_000)),
        copiedCost(usdc(25), shares(1_000)),
        copiedCost(usdc(24), shares(1_000)),
        copiedCost(usdc(0), shares(5)),
        // A price above 1 is impossible; a copier would pay 1.00.
        copiedCost(usdc(7), shares(5)),
      ],
      [510_000, 1_000_000, 1_000_000, 26, 24, 0, 5],
    )
    assert.deepStrictEqual(
      [
        copiedProceeds(usdc(500_000)),
        copiedProceeds(usdc(25)),
        copiedProceeds(usdc(26)),
        copiedProceeds(usdc(75)),
        copiedProceeds(usdc(0)),
      ],
      [490_000, 25, 25, 74, 0],
    )
  })

  it("has a slippage rate from one dollar on, and is toxic above 15 %", () => {
    const [dollar, cent] = [1_000_000n, 10_000n]
    assert.strictEqual(slippageRate({ actual: usdc(dollar - 1n), backtest: usdc(0n) }), null)
    assert.strictEqual(slippageRate({ actual: usdc(1n - dollar), backtest: usdc(-dollar) }), null)
    assert.strictEqual(slippageRate({ actual: usdc(dollar), backtest: usdc(85n * cent) }), 15)
    assert.strictEqual(slippageRate({ actual: usdc(-dollar), backtest: usdc(-116n * cent) }), 16)
    assert.deepStrictEqual(
      [
        isToxic({ actual: usdc(dollar), backtest: usdc(85n * cent) }),
        isToxic({ actual: usdc(dollar), backtest: usdc(85n * cent - 1n) }),
        isToxic({ actual: usdc(-dollar), backtest: usdc(-116n * cent) }),
        isToxic({ actual: usdc(dollar - 1n), backtest: usdc(-dollar) }),
      ],
      [false, true, true, false],
    )
  })
})

describe("ExactSum", () => {
  it("is exact beyond safe integers", () => {
    const large = fc.oneof(fc.maxSafeInteger(), fc.integer())
    fc.assert(
      fc.property(fc.array(large), (amounts) => {
        const sum = new ExactSum()
        for (const each of amounts) sum.add(each)
        assert.strictEqual(
          sum.total,
          amounts.reduce((total, each) => total + BigInt(each), 0n),
        )
      }),
    )
  })
})
