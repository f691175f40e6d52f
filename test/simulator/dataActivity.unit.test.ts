import { assert, describe, it } from "@effect/vitest"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { defined, keyOf, type List, numberIn, served, textIn, tradeFields } from "./dataVenue.ts"

const { facts, list, sim, market, end, maker, shownFills, keyOfFill } = served(2, "tiny")

describe("data activity route", () => {
  const of = (query: string, wallet = maker) => list(`/activity?user=${wallet.address}&limit=500&${query}`)
  const crawl = (query: string): List =>
    [0, 500, 1000, 1500, 2000, 2500, 3000].flatMap((at) => of(`offset=${at}&${query}`))
  const typed = (rows: List, type: string) => rows.filter((row) => row["type"] === type)
  const ownActs = (kind: number, wallet: number) =>
    [...facts.byWallet.of(wallet)].filter((tx) => tx < end() && facts.kind.get(tx) === kind)

  it("lists every trade and every other on-chain action, newest first", () => {
    const rows = crawl("")
    assert.isBelow(rows.length, 3_500)
    const trades = typed(rows, "TRADE")
    assert.deepStrictEqual(
      trades.map(keyOf),
      shownFills()
        .filter((fill) => facts.maker.get(fill) === maker.index)
        .map(keyOfFill),
    )
    for (const [type, kind] of [
      ["SPLIT", TxKind.split],
      ["MERGE", TxKind.merge],
      ["REDEEM", TxKind.redeem],
      ["CONVERSION", TxKind.convert],
      ["MIGRATION", TxKind.migrate],
    ] as const) {
      const expected = ownActs(kind, maker.index).map((tx) => sim.chain.transactionHash(tx))
      assert.deepStrictEqual(
        typed(rows, type).map((row) => row["transactionHash"]),
        expected,
        type,
      )
      if (type !== "CONVERSION") assert.isAbove(expected.length, 0, type)
    }
    const times = rows.map((row) => numberIn(row, "timestamp"))
    assert.deepStrictEqual(
      times,
      [...times].sort((a, b) => b - a),
    )
    for (const row of rows) assert.deepStrictEqual(Object.keys(row), [...tradeFields.split(" "), "type", "usdcSize"])
  })

  it("rows have amounts, and empty strings for fields that do not apply", () => {
    const tx = defined(ownActs(TxKind.redeem, maker.index)[0])
    assert.include(defined(of("type=REDEEM")[0]), {
      side: "",
      asset: "",
      outcome: "",
      outcomeIndex: 999,
      conditionId: market(facts.market.get(tx)).conditionId,
      size: (facts.amount.get(tx) + facts.second.get(tx)) / 1e6,
      usdcSize: facts.extra.get(tx) / 1e6,
    })
    const split = defined(ownActs(TxKind.split, maker.index)[0])
    const amount = facts.amount.get(split) / 1e6
    assert.include(defined(of("type=SPLIT")[0]), { size: amount, usdcSize: amount, asset: "" })
  })

  it("deposits and withdrawals are excluded by default", () => {
    assert.isEmpty(typed(crawl(""), "DEPOSIT"))
    const expected = ownActs(TxKind.wrap, maker.index).length
    assert.isAbove(expected, 0)
    assert.lengthOf(typed(crawl("excludeDepositsWithdrawals=false"), "DEPOSIT"), expected)
    assert.lengthOf(of("type=DEPOSIT"), expected)
    assert.isEmpty(of("type=DEPOSIT&excludeDepositsWithdrawals=true"))
    const [row] = of("type=DEPOSIT")
    assert.include(defined(row), { conditionId: "", title: "", eventSlug: "" })
  })

  it("can be filtered and sorted", () => {
    const all = crawl("")
    // Comparing thousands of rows is faster as text.
    const same = (query: string, expected: List) =>
      assert.strictEqual(JSON.stringify(crawl(query)), JSON.stringify(expected), query)
    same(
      "type=redeem,SPLIT",
      [...typed(all, "REDEEM"), ...typed(all, "SPLIT")].sort((a, b) => all.indexOf(a) - all.indexOf(b)),
    )
    same(
      "side=BUY",
      all.filter((row) => row["side"] === "BUY"),
    )
    const conditionId = textIn(defined(all[3]), "conditionId")
    same(
      `market=${conditionId}`,
      all.filter((row) => row["conditionId"] === conditionId),
    )
    same("sortDirection=ASC", [...all].reverse())
    const cash = crawl("sortBy=CASH").map((row) => numberIn(row, "usdcSize"))
    assert.deepStrictEqual(
      cash,
      all.map((row) => numberIn(row, "usdcSize")).sort((a, b) => b - a),
    )
    const [late, early] = [numberIn(defined(all[10]), "timestamp"), numberIn(defined(all[90]), "timestamp")]
    const within = all.filter((row) => numberIn(row, "timestamp") >= early && numberIn(row, "timestamp") <= late)
    assert.isBelow(within.length, all.length)
    same(`start=${early}&end=${late}`, within)
    same(`start=${early}&end=${late}&sortDirection=ASC`, [...within].reverse())
  })
})
