import { assert, describe, it } from "@effect/vitest"
import { shares, usdc } from "#src/domain/amounts.ts"
import { priceOf } from "#src/feed/amounts.ts"
import { depositPayload } from "#src/feed/payloads/chain.ts"
import { fillPayload, pendingFillPayload, tradePayload } from "#src/feed/payloads/fills.ts"
import { conversionPayload, redemptionPayload, splitPayload } from "#src/feed/payloads/positions.ts"
import { resolutionPayload } from "#src/feed/payloads/resolution.ts"
import { settlementPayload, statusPayload } from "#src/feed/payloads/settlements.ts"
import type { FillRow, OrderRow, SettlementRow } from "#src/feed/rows.ts"
import { market, names, walletOf } from "./support/names.ts"

const [tx, hash, signer] = ["a".repeat(64), "b".repeat(64), "d".repeat(40)]
const place = { block: 70, log_index: 8, at: new Date(1_700_000_000_999), tx }
const placed = { tx_hash: `0x${tx}`, block_number: 70, log_index: 8, timestamp: 1_700_000_000 }

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

const order = (number: number, maker: number, side: number): OrderRow => ({
  settlement: 1n,
  place: number,
  order_hash: hash,
  maker,
  signer,
  token: 1,
  side,
  shares: shares(4_000_000n),
  usd: usdc(1_000_000n),
  fee: usdc(0n),
})
const taker = order(0, 6, 1)
const settlement: SettlementRow = {
  id: 1n,
  tx,
  exchange: 2,
  condition: 1,
  detected_at: new Date(1_700_000_001_500),
  orders: [taker, order(1, 5, 0)],
}

describe("priceOf", () => {
  it("rounds half up to six decimals", () => {
    assert.strictEqual(priceOf(usdc(1_000_000n), shares(3_000_000n)), 0.333333)
    assert.strictEqual(priceOf(usdc(2_000_000n), shares(3_000_000n)), 0.666667)
    assert.strictEqual(priceOf(usdc(1n), shares(2_000_000n)), 0.000001)
    assert.strictEqual(priceOf(usdc(1n), shares(2_000_001n)), 0)
    assert.strictEqual(priceOf(usdc(5n), shares(0n)), 0)
    assert.strictEqual(priceOf(usdc(9_007_199_254_740_993n), shares(9_007_199_254_740_993n)), 1)
  })
})

describe("Fill payloads", () => {
  const flat = {
    order_hash: `0x${hash}`,
    user: walletOf(5),
    taker: walletOf(6),
    tx_hash: `0x${tx}`,
    side: "BUY",
    price: 0.333333,
    shares: 3_000_000,
    shares_normalized: 3,
    token_id: "1",
    token_label: "Yes",
    condition_id: market.condition_id,
    market_slug: "will-it-rain",
    title: "Will it rain?",
    timestamp: 1_700_000_000,
    block_number: 70,
    log_index: 8,
  } as const

  it("are flat, and name the exchange as taker on the taker's own row", () => {
    assert.deepStrictEqual(fillPayload(fill, names), flat)
    assert.strictEqual(fillPayload({ ...fill, taker: null }, names).taker, "0xe2222d279d744050d28e00520010520000310f59")
  })

  it("have no market names for an unlisted token", () => {
    const nameless = { token_id: "3", token_label: null, condition_id: null, market_slug: null, title: null }
    assert.deepStrictEqual(fillPayload({ ...fill, token: 3 }, names), { ...flat, ...nameless })
  })

  it("have no chain position while pending", () => {
    const [own, other] = settlement.orders.map((each) => pendingFillPayload(settlement, each, names))
    const pending = { price: 0.25, shares: 4_000_000, shares_normalized: 4, timestamp: 1_700_000_001 }
    const nowhere = { block_number: null, log_index: null }
    assert.deepStrictEqual(other, { ...flat, ...pending, ...nowhere })
    assert.deepStrictEqual(own, {
      ...flat,
      ...pending,
      ...nowhere,
      user: walletOf(6),
      taker: "0xe111180000d2663c0091e4f400237545b87b996b",
      side: "SELL",
    })
  })

  const details = {
    order_hash: `0x${hash}`,
    maker: walletOf(5),
    taker: walletOf(6),
    token_id: "1",
    side: "BUY",
    price: 0.333333,
    size: 3,
    maker_amount: "1000000",
    taker_amount: "3000000",
    fee: 0.012345,
  } as const

  it("are trades too, with the market and both on-chain amounts", () => {
    const exchange = { exchange: "neg_risk_ctf_exchange", exchange_version: 2 } as const
    const trade = { event_type: "trade", ...market, ...placed, ...exchange, ...details }
    assert.deepStrictEqual(tradePayload(fill, names), trade)
    assert.deepStrictEqual(tradePayload({ ...fill, side: 1, fee_in_shares: true }, names), {
      ...trade,
      side: "SELL",
      maker_amount: "3000000",
      taker_amount: "1000000",
      fee: null,
    })
  })

  it("are listed in their settlement's status update", () => {
    const change = { status: "confirmed", block: 70, at: 1_700_000_004_000 } as const
    const update = {
      event_type: "status_update",
      ...market,
      tx_hash: `0x${tx}`,
      status: "confirmed" as const,
      token_id: "1",
      block_number: 70,
      confirmed_at: 1_700_000_004_000,
      pending_detected_at: 1_700_000_001_500,
      latency_ms: 2_500,
      taker_wallet: walletOf(6),
      maker_wallets: [walletOf(5)],
      order_hashes: [`0x${hash}`, `0x${hash}`],
      confirmed_fills: [details],
    }
    assert.deepStrictEqual(statusPayload(settlement, taker, change, [fill], names), update)
    const dropped = { status: "dropped", block: null, at: 1_700_000_004_000 } as const
    assert.deepStrictEqual(statusPayload(settlement, taker, dropped, undefined, names), {
      ...update,
      status: "dropped",
      block_number: null,
      confirmed_at: null,
      latency_ms: null,
      confirmed_fills: null,
    })
  })
})

describe("Settlement payloads", () => {
  it("contain the taker's order and its counterparties", () => {
    assert.deepStrictEqual(settlementPayload(settlement, taker, names), {
      event_type: "settlement",
      ...market,
      tx_hash: `0x${tx}`,
      status: "pending",
      detected_at: 1_700_000_001_500,
      block_number: null,
      taker_wallet: walletOf(6),
      taker_token: "1",
      taker_side: "SELL",
      taker_price: 0.25,
      taker_size: 4,
      trades: [
        {
          maker: walletOf(5),
          signer: `0x${signer}`,
          taker: walletOf(6),
          token_id: "1",
          side: "BUY",
          price: 0.25,
          size: 4,
          maker_amount: "1000000",
          taker_amount: "4000000",
          outcome: "Yes",
          order_hash: `0x${hash}`,
        },
      ],
    })
  })
})

describe("Position payloads", () => {
  const whole = { ...market, outcome: null }

  it("describe a split", () => {
    const row = { ...place, wallet: 5, condition: 1, amount: shares(1_500_000n) }
    const split = { event_type: "position_split", ...whole, ...placed, stakeholder: walletOf(5) }
    assert.deepStrictEqual(splitPayload(row, names), { ...split, collateral_token: null, amount: 1.5 })
  })

  it("describe a redemption with its payouts", () => {
    const row = {
      ...place,
      wallet: 5,
      condition: 1,
      tokens: [1, 2],
      shares: [shares(4n), shares(5n)],
      payout: usdc(2_000_001n),
    }
    const redemption = {
      event_type: "redemption",
      ...whole,
      ...placed,
      redeemer: walletOf(5),
      collateral_token: null,
      index_sets: [1, 2],
      payout: 2.000001,
      payout_e6: 2_000_001,
      payouts: [0, 1],
      outcome_prices: [0, 1],
      winning_outcome_index: 1,
      winning_outcome: "No",
      winning_token_id: "2",
    }
    assert.deepStrictEqual(redemptionPayload({ ...row, payouts: [0n, 1n] }, names), redemption)
    const nobody = { winning_outcome_index: null, winning_outcome: null, winning_token_id: null }
    assert.deepStrictEqual(redemptionPayload({ ...row, payouts: [1n, 1n] }, names), {
      ...redemption,
      ...nobody,
      payouts: [1, 1],
      outcome_prices: [0.5, 0.5],
    })
    assert.deepStrictEqual(redemptionPayload({ ...row, payouts: null }, names), {
      ...redemption,
      ...nobody,
      payouts: null,
      outcome_prices: null,
    })
  })

  it("describe a conversion, with the questions as an index set", () => {
    const row = {
      ...place,
      wallet: 5,
      neg_risk_market: hash,
      nos: [2],
      yeses: [1],
      amount: shares(1_000_000n),
      paid: usdc(0n),
      operation: null,
    }
    const { index_set, market_id, converted_outcomes } = conversionPayload({ ...row, questions: [0, 2, 64] }, names)
    assert.deepStrictEqual([index_set, market_id], ["0x10000000000000005", `0x${hash}`])
    assert.deepStrictEqual(converted_outcomes, [
      { token_id: "2", condition_id: market.condition_id, title: "Will it rain?" },
    ])
    assert.isNull(conversionPayload({ ...row, questions: null }, names).index_set)
  })

  it("describe a resolution", () => {
    const decided = resolutionPayload({ ...place, sub: 0, condition: 1, payouts: [1n, 0n] }, names)
    const { oracle_type, resolved_price, resolved_outcome, payouts } = decided
    assert.deepStrictEqual(
      { oracle_type, resolved_price, resolved_outcome, payouts },
      { oracle_type: "condition_resolution", resolved_price: 1, resolved_outcome: "Yes", payouts: [1, 0] },
    )
  })
})

describe("Deposit payloads", () => {
  it("distinguish deposits from withdrawals", () => {
    const nobody = `0x${"0".repeat(40)}`
    assert.deepStrictEqual(depositPayload({ ...place, wallet: 5, amount: usdc(-2_500_000n) }, names), {
      event_type: "deposit",
      ...placed,
      from: walletOf(5),
      to: nobody,
      amount: 2.5,
      direction: "withdrawal",
    })
    const { from, to, direction } = depositPayload({ ...place, wallet: 5, amount: usdc(1n) }, names)
    assert.deepStrictEqual([from, to, direction], [nobody, walletOf(5), "deposit"])
  })
})
