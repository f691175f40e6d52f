import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { shares, usdc } from "#src/domain/amounts.ts"
import { comboTitle } from "#src/feed/combos/comboNames.ts"
import { readPositionId } from "#src/feed/combos/positionId.ts"
import type { Names } from "#src/feed/Names.ts"
import type { FillRow, MarketRow } from "#src/feed/rows.ts"
import { dataSchemas } from "#src/webhooks/payloadSchemas.ts"
import { feeData } from "#src/webhooks/polling/feeEarned/feeEarned.ts"
import { createdData, fractionsOf, listText, resolvedData } from "#src/webhooks/polling/market/market.ts"
import { tradeData } from "#src/webhooks/polling/trade/trade.ts"
import { wholeTrade } from "#src/webhooks/polling/trade/wholeTrade.ts"
import { conversionData, pairData, redemptionData } from "#src/webhooks/polling/walletActivity/walletActivity.ts"
import { names, walletOf } from "#test/feed/support/names.ts"

const [tx, hash] = ["a".repeat(64), "b".repeat(64)]
const place = { block: 70, log_index: 8, at: new Date(1_700_000_000_999), tx }
const placed = { transaction_hash: `0x${tx}`, block_number: 70, log_index: 8 }
const rain = { market: "Will it rain?", slug: "will-it-rain", condition_id: `0x${"c".repeat(64)}`, event_slug: "rain" }

/** Data must match its schema exactly after a JSON round trip. */
const assertDocumented = (type: keyof typeof dataSchemas, data: unknown) => {
  const schema: Schema.Codec<unknown> = dataSchemas[type]
  const received = JSON.parse(JSON.stringify(data))
  assert.deepStrictEqual(Schema.decodeUnknownSync(schema)(received, { onExcessProperty: "error" }), data)
}

const fill: FillRow = {
  ...place,
  order_hash: hash,
  maker: 5,
  taker: 6,
  exchange: 3,
  side: 0,
  token: 1,
  shares: shares(3_000_000n),
  usd: usdc(1_000_000n),
  fee: usdc(12_345n),
  fee_in_shares: false,
  builder: null,
}

const listed: MarketRow = {
  id: 9,
  condition: "c".repeat(64),
  tokens: ["1".padStart(64, "0"), "2".padStart(64, "0")],
  question: "Will it rain?",
  slug: "will-it-rain",
  image: null,
  outcomes: ["Yes", "No"],
  payouts: [1_000_000, 0],
  created_at: new Date(1_690_000_000_000),
  resolved_at: new Date(1_700_000_000_000),
  event_slug: "rain",
  tags: ["weather", 'a "wet" one'],
}

describe("Webhook data", () => {
  it("of trades matches the schema", () => {
    const data = tradeData(fill, names)
    assert.deepStrictEqual(data, {
      id: `0x${tx}_8`,
      maker: walletOf(5),
      taker: walletOf(6),
      token_id: "1",
      direction: "BUY",
      price: 0.333333,
      amount_usd: 1,
      shares: 3,
      fee_usd: 0.012345,
      ...rain,
      outcome: "Yes",
      ...placed,
      order_hash: `0x${hash}`,
      builder: `0x${"0".repeat(64)}`,
      timestamp: "1700000000",
    })
    for (const type of ["trade", "large_trade", "builder_trade", "first_trade"] as const) assertDocumented(type, data)
    assertDocumented("wallet_activity", { activity_type: "trade", ...data })
    const own = tradeData(
      { ...fill, taker: null, fee_in_shares: true, fee: shares(30_001n), builder: "d".repeat(64) },
      names,
    )
    assert.match(own.taker, /^0x[0-9a-f]{40}$/)
    assert.strictEqual(own.builder, `0x${"d".repeat(64)}`)
    // A third of a dollar per share, rounded half up.
    assert.strictEqual(own.fee_usd, 0.01)
    // The market is not listed yet.
    assertDocumented("trade", tradeData({ ...fill, token: 3 }, names))
  })

  it("of a trade without a wallet filter has the fee and the builder of either side", () => {
    const code = "d".repeat(64)
    const maker = (filled: bigint, more: Partial<FillRow> = {}): FillRow => ({
      ...fill,
      shares: shares(filled),
      fee: usdc(0n),
      ...more,
    })
    const taken: FillRow = {
      ...fill,
      maker: 6,
      taker: null,
      shares: shares(7_000_000n),
      fee: usdc(100n),
      builder: code,
    }
    const other: FillRow = { ...fill, maker: 7, taker: null, fee: usdc(900n) }
    const makers = [maker(3_000_000n), maker(1_000_000n, { fee: usdc(5n), builder: "e".repeat(64) }), maker(3_000_000n)]
    const earlier = [maker(1_000_000n), taken]
    const match = [...earlier, makers[0] ?? fill, maker(9n, { taker: 7 }), other, ...makers.slice(1), taken]
    const parts = makers.map((one) => wholeTrade(one, match))
    assert.deepStrictEqual(
      parts.map(({ fee }) => fee),
      [42n, 15n + 5n, 43n],
      "the parts of the taker's fee add up to it",
    )
    assert.deepStrictEqual(
      parts.map(({ builder }) => builder),
      [code, "e".repeat(64), code],
    )
    assert.deepStrictEqual(
      wholeTrade(fill, [fill]),
      { fee: usdc(12_345n), builder: null },
      "nobody else's order is known",
    )
    assert.strictEqual(tradeData(fill, names, { fee: usdc(42n), builder: code }).fee_usd, 0.000042)
  })

  it("of combos has the legs as the market, and the combo's own outcome", () => {
    const legs = [names.token(1), names.token(3)].map(({ info, hex }) => ({ ...readPositionId(hex), info, token: 1 }))
    const combo = { condition: `0x${"c".repeat(64)}`, yes: "1", no: "2", legs }
    const ofCombo: Names = { ...names, token: (id) => ({ ...names.token(3), outcomeIndex: id - 1, combo }) }
    const data = tradeData({ ...fill, token: 2 }, ofCombo)
    assert.deepInclude(data, { market: "Will it rain? (Yes) + unlisted market", outcome: "No", slug: null })
    assertDocumented("trade", data)
    assert.isNull(comboTitle({ legs: [] }))
  })

  it("of splits, merges, redemptions and conversions matches the schema", () => {
    const pair = pairData({ ...place, wallet: 5, condition: 1, amount: shares(2_500_000n) }, names)
    assert.deepStrictEqual(pair, {
      wallet: walletOf(5),
      ...rain,
      outcome: null,
      amount: 2.5,
      ...placed,
      timestamp: "1700000000",
    })
    assertDocumented("split", pair)
    assertDocumented("merge", pair)
    const row = { ...place, wallet: 5, condition: 1, payout: usdc(4_000_000n), payouts: [1n, 0n] }
    const redemption = redemptionData({ ...row, tokens: [1, 2], shares: [shares(4_000_000n), shares(1n)] }, names)
    assertDocumented("redemption", redemption)
    assert.deepInclude(redemption, { payout_usd: 4, outcome: "Yes" })
    const lost = redemptionData({ ...row, tokens: [1, 2], shares: [shares(0n), shares(3n)] }, names)
    assert.strictEqual(lost.outcome, "No")
    const conversion = conversionData(
      {
        ...place,
        wallet: 5,
        neg_risk_market: hash,
        questions: null,
        nos: [2],
        yeses: [1],
        amount: shares(1_000_000n),
        paid: usdc(0n),
        operation: null,
      },
      names,
    )
    assertDocumented("neg_risk_conversion", conversion)
    assert.deepInclude(conversion, { market_id: `0x${hash}`, event_slug: "rain", market: null })
    for (const [kind, data] of Object.entries({
      split: pair,
      merge: pair,
      redemption,
      neg_risk_conversion: conversion,
    }))
      assertDocumented("wallet_activity", { activity_type: kind, ...data })
  })

  it("of fees matches the schema", () => {
    const fee = feeData({ ...place, receiver: 7, token: 2, usd: usdc(15_000n), order_hash: hash }, names)
    assertDocumented("fee_earned", fee)
    assert.deepInclude(fee, { receiver: walletOf(7), fee_usd: 0.015, outcome: "No", timestamp: "1700000000" })
  })

  it("of markets matches the schema", () => {
    const resolved = resolvedData(listed)
    assertDocumented("market_resolved", resolved)
    assert.deepInclude(resolved, {
      question: "Will it rain?",
      payout_numerators: "{1,0}",
      payout_denominator: "1",
      resolved_at: "1700000000000",
      tags: '{weather,"a \\"wet\\" one"}',
      outcome: "Yes",
    })
    const split = resolvedData({ ...listed, payouts: [500_000, 500_000], event_slug: null, tags: null })
    assert.deepInclude(split, { payout_numerators: "{1,1}", payout_denominator: "2", outcome: null, tags: "{}" })
    const created = createdData({ ...listed, condition: null, tokens: [], created_at: null })
    assertDocumented("market_created", created)
    assert.deepInclude(created, { tags: ["weather", 'a "wet" one'], condition_id: null, outcome: null })
  })

  it("states payouts in lowest terms", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 5 }), (payouts) => {
        const { numerators, denominator } = fractionsOf(payouts)
        const sum = payouts.reduce((all, each) => all + each, 0)
        for (const [place, payout] of payouts.entries())
          assert.strictEqual((numerators[place] ?? 0) * (sum || 1), payout * denominator)
        assert.isTrue(numerators.every(Number.isSafeInteger))
      }),
    )
    assert.strictEqual(listText(["a", "", "NULL", "b c", "d\\e"]), '{a,"","NULL","b c","d\\\\e"}')
  })
})
