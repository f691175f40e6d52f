import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { shares, usdc } from "#src/domain/amounts.ts"
import { interpret } from "#src/ledger/interpret/interpret.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type * as Chain from "#src/upstream/chain/events.ts"

const receiver = "fe".repeat(20)

const order = (given: Partial<Chain.OrderFilled>): Chain.OrderFilled => ({
  _tag: "OrderFilled",
  exchange: address.ctfExchange1,
  generation: 1,
  orderHash: "0d".repeat(32),
  maker: "aa".repeat(20),
  taker: address.ctfExchange1,
  side: "buy",
  token: "70".repeat(32),
  shares: shares(10_000_000),
  usd: usdc(4_000_000),
  fee: shares(100_000),
  feeIn: "shares",
  builder: undefined,
  ...given,
})

const fee = (given: Partial<Chain.FeeCharged> = {}): Chain.FeeCharged => ({
  _tag: "FeeCharged",
  exchange: address.ctfExchange1,
  receiver,
  token: undefined,
  amount: usdc(100_000),
  ...given,
})

const factsIn = (events: ReadonlyArray<Chain.ChainEvent>) =>
  interpret(
    events.map((event, logIndex) => ({
      block: 9,
      blockHash: "",
      logIndex,
      txIndex: 0,
      at: 1_000,
      tx: "77".repeat(32),
      event,
    })),
  ).facts

const chargesIn = (...events: ReadonlyArray<Chain.ChainEvent>) =>
  factsIn(events).filter((fact) => fact.kind === "fee_charge")

const amount = fc.integer({ min: 0, max: 2 ** 50 })

describe("Interpreting transfers of collateral", () => {
  it("counts what the venue pays a maker as a reward or a rebate, and nothing else", () => {
    const maker = "aa".repeat(20)
    const pay = (from: string, paid: number) => ({
      _tag: "CollateralTransfer" as const,
      asset: address.pusd,
      from,
      to: maker,
      amount: usdc(paid),
    })
    const facts = factsIn([pay(address.rewardPayer, 5), pay(address.rebatePayer, 7), pay("bb".repeat(20), 11)])
    const position = { block: 9, at: 1_000, tx: "77".repeat(32), kind: "maker_payment" as const, wallet: maker }
    assert.deepStrictEqual(facts, [
      { ...position, logIndex: 0, purpose: "reward", amount: usdc(5) },
      { ...position, logIndex: 1, purpose: "rebate", amount: usdc(7) },
    ])
  })
})

describe("Interpreting withdrawn fees", () => {
  it("credits shares to the receiver, and leaves collateral out", () => {
    const withdrawn = { _tag: "FeeWithdrawn" as const, module: address.feeModule, to: receiver, amount: shares(5) }
    const facts = factsIn([
      { ...withdrawn, token: "70".repeat(32) },
      { ...withdrawn, token: undefined },
      { ...withdrawn, token: "70".repeat(32), to: address.ctfExchange1 },
    ])
    assert.deepStrictEqual(
      facts.map((fact) => (fact.kind === "stock_change" ? [fact.wallet, fact.shares, fact.paid] : fact.kind)),
      [[receiver, shares(5), usdc(0)]],
    )
  })
})

describe("Interpreting charged fees", () => {
  it("assigns a fee to the next order of the same exchange", () => {
    const [first, second] = ["01".repeat(32), "02".repeat(32)]
    const otherExchange = { exchange: address.ctfExchange2, generation: 2 as const, feeIn: "collateral" as const }
    const charges = chargesIn(
      order({ orderHash: first }),
      fee({ exchange: otherExchange.exchange, amount: usdc(5) }),
      fee({ amount: usdc(7) }),
      order({ orderHash: first }),
      order({ orderHash: second, ...otherExchange }),
    )
    assert.deepStrictEqual(
      charges.map(({ logIndex, orderHash, amount, usd, receiver: to }) => [logIndex, orderHash, amount, usd, to]),
      [
        [1, second, 5, 5, receiver],
        [2, first, 7, 7, receiver],
      ],
    )
  })

  it("ignores a fee without a following order", () => {
    assert.deepStrictEqual(chargesIn(order({}), fee()), [])
    assert.deepStrictEqual(chargesIn(fee({ exchange: address.ctfExchange2 }), order({})), [])
  })

  it("values a fee in shares at the order's price, rounded half up to 10⁻⁶", () => {
    const usdOf = (filled: number, usd: number, charged: number) => {
      const [charge] = chargesIn(
        fee({ token: "70".repeat(32), amount: shares(charged) }),
        order({ shares: shares(filled), usd: usdc(usd) }),
      )
      assert.isTrue(charge?.inShares)
      return charge?.usd ?? -1
    }
    assert.strictEqual(usdOf(10_000_000, 4_000_000, 100_000), 40_000)
    assert.deepStrictEqual([usdOf(2, 1, 1), usdOf(4, 1, 1), usdOf(0, 5, 5)], [1, 0, 0])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 50 }), amount, fc.double({ min: 0, max: 1, noNaN: true }), (...of) => {
        const [shares, usd, part] = of
        const charged = Math.floor(shares * part)
        const twice = 2n * BigInt(charged) * BigInt(usd) - 2n * BigInt(usdOf(shares, usd, charged)) * BigInt(shares)
        assert.isTrue(-BigInt(shares) <= twice && twice < BigInt(shares))
      }),
    )
  })
})
