import { assert, describe, it } from "@effect/vitest"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { exchangeAsTaker, Side, TxKind } from "#src/simulator/world/Facts.ts"
import { type Json, most, numberIn, served } from "./dataVenue.ts"

const world = served(7, "tiny")
const { clock } = world.sim.model.world
const { facts, books, sim, wallets, crawl, list, one, page, errorOf, end } = world

const pointFields =
  "timestamp source_block realized_market_pnl realized_lp_pnl realized_combo_pnl unrealized_pnl fees_refunded maker_rebate taker_rebate reward_income yield_income referral_income deposits withdrawals realized_pnl wallet_income position_pnl settled_pnl economic_pnl trade_pnl sponsored_income fees fees_paid cashflow_net volume volume_usdc trade_count"

const earner = most(wallets, ({ index }) => Math.min(books.rebates.get(index), books.rewards.get(index)))
const pointOf = (address: string) => (one(`/v2/user-stats?user=${address}`)["data"] as Json)["all_time_pnl"] as Json
const paid = (kind: number, wallet: number) =>
  [...facts.byWallet.of(wallet)].filter((tx) => facts.kind.get(tx) === kind && tx < end())

describe("maker rebates and rewards", () => {
  it("are listed as activity in v1 and v2", () => {
    for (const [kind, type] of [
      [TxKind.rebate, "MAKER_REBATE"],
      [TxKind.reward, "REWARD"],
    ] as const) {
      const txs = paid(kind, earner.index)
      assert.isNotEmpty(txs)
      const first = list(`/activity?user=${earner.address}&type=${type}&limit=500`)
      assert.deepStrictEqual(
        first.map((row) => [row["transactionHash"], row["usdcSize"], row["type"], row["conditionId"]]),
        txs.map((tx) => [sim.chain.transactionHash(tx), facts.amount.get(tx) / 1e6, type, ""]),
      )
      const second = crawl(`/v2/activity?user=${earner.address}&type=${type}`)
      assert.deepStrictEqual(
        second.map((row) => [row["transaction_hash"], row["usdc_size"], row["type"], row["condition_id"]]),
        txs.map((tx) => [sim.chain.transactionHash(tx), facts.amount.get(tx) / 1e6, type, null]),
      )
    }
    const some = crawl(`/v2/activity?user=${earner.address}&limit=1000`).map(({ type }) => type)
    assert.includeMembers(some, ["MAKER_REBATE", "REWARD", "TRADE"])
  })

  it("count in the user statistics, as do refunds of old fees", () => {
    const point = pointOf(earner.address)
    assert.strictEqual(point["maker_rebate"], books.rebates.get(earner.index) / 1e6)
    assert.strictEqual(point["reward_income"], books.rewards.get(earner.index) / 1e6)
    assert.isAbove(Math.min(numberIn(point, "maker_rebate"), numberIn(point, "reward_income")), 0)
    let checked = 0
    for (const { index, address } of wallets) {
      let refunded = 0
      for (const tx of paid(TxKind.match, index)) {
        const own = facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1
        assert.strictEqual(facts.taker.get(own), exchangeAsTaker)
        const isShares = facts.side.get(own) === Side.buy
        const price = isShares ? facts.usd.get(own) / facts.shares.get(own) : 1
        refunded += (facts.extra.get(tx) * price) / 1e6
      }
      const own = pointOf(address)
      assert.closeTo(numberIn(own, "fees_refunded"), refunded, 1e-3)
      assert.strictEqual(own["fees_paid"], books.feesPaid.get(index) / 1e6)
      if (refunded > 0) checked += 1
    }
    assert.isAbove(checked, 5)
  })
})

describe("data user-pnl route", () => {
  const of = (query: string) => page(`/v2/user-pnl?user=${earner.address}&${query}`).data
  const now = Math.floor(sim.now() / 1000)

  it("every point is the PnL realized by then, and the last one equals the user statistics", () => {
    const points = of("interval=max&fidelity=3h")
    assert.isAbove(points.length, 20)
    const { eventPosition, eventTx, eventAmount, walletOf } = books
    for (const [index, point] of points.entries()) {
      assert.deepStrictEqual(Object.keys(point), pointFields.split(" "))
      if (index === points.length - 1) continue
      const at = numberIn(point, "timestamp")
      assert.strictEqual(at % 10_800, 0)
      let realized = 0
      for (let event = 0; event < eventPosition.length; event++) {
        if (walletOf.get(eventPosition.get(event)) !== earner.index) continue
        const block = facts.block.get(eventTx.get(event)) + firstBlock
        if (clock.timestampOf(block) < at) realized += eventAmount.get(event)
      }
      assert.closeTo(numberIn(point, "realized_pnl"), realized / 1e6, 1e-6, `at ${at}`)
    }
    assert.deepStrictEqual(points.at(-1), pointOf(earner.address))
    const volumes = points.map((point) => numberIn(point, "volume_usdc"))
    assert.deepStrictEqual(
      volumes,
      [...volumes].sort((a, b) => a - b),
    )
  })

  it("covers the interval in steps of the fidelity, by default one day by the hour", () => {
    for (const [query, span, step] of [
      ["", 86_400, 3_600],
      ["interval=6h", 21_600, 3_600],
      ["interval=12h&fidelity=3h", 43_200, 10_800],
      ["interval=1w&fidelity=1d", 604_800, 86_400],
      ["interval=1w&fidelity=18h", 604_800, 64_800],
    ] as const) {
      const times = of(query).map((point) => numberIn(point, "timestamp"))
      assert.strictEqual(times.at(-1), now, query)
      const steps = times.slice(0, -1)
      assert.isTrue(
        steps.every((at) => at % step === 0 && at >= now - span && at < now),
        query,
      )
      assert.isAbove(steps.length, 2, query)
      for (const [index, at] of steps.entries()) if (index > 0) assert.strictEqual(at - (steps[index - 1] ?? 0), step)
    }
    assert.strictEqual(JSON.stringify(of("interval=all")), JSON.stringify(of("interval=max")))
  })

  it("is empty for an unknown user and rejects invalid parameters", () => {
    assert.deepStrictEqual(one(`/v2/user-pnl?user=0x${"1".repeat(40)}`), { data: [] })
    for (const wrong of ["", "user=me", `user=${earner.address}&interval=1y`, `user=${earner.address}&fidelity=1s`]) {
      assert.strictEqual(errorOf(`/v2/user-pnl?${wrong}`).status, 400, wrong)
    }
  })
})
