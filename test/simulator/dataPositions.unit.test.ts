import { assert, describe, it } from "@effect/vitest"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { Side, TxKind } from "#src/simulator/world/Facts.ts"
import { defined, type Json, most, numberIn, served, textIn } from "./dataVenue.ts"

const { list, one, books, token, market, maker, facts, sim, venue, wallets, address } = served(3)

const positionFields =
  "proxyWallet asset conditionId size avgPrice initialValue currentValue cashPnl percentPnl totalBought realizedPnl percentRealizedPnl curPrice redeemable mergeable title slug icon eventId eventSlug outcome outcomeIndex oppositeOutcome oppositeAsset endDate negativeRisk"
const closedFields =
  "proxyWallet asset conditionId avgPrice totalBought realizedPnl curPrice timestamp title slug icon eventSlug outcome outcomeIndex oppositeOutcome oppositeAsset endDate"

/** Shares that a wallet only received and passed on are not a position. */
const isReal = (position: number) =>
  books.bought.get(position) > 0 || books.sold.get(position) > 0 || books.shares.get(position) > 0

const positionsOf = (wallet: number) =>
  [...books.positionsOf(wallet)].filter((position) => {
    return isReal(position) && token(books.tokenOf.get(position)).market.legs === undefined
  })

const pages = (target: string, size: number, count: number) =>
  Array.from({ length: count }, (_, i) => list(`${target}&limit=${size}&offset=${i * size}`)).flat()

const open = pages(`/positions?user=${maker.address}&sizeThreshold=0`, 500, 4)
const closed = pages(`/closed-positions?user=${maker.address}`, 50, 30)

const positionOf = (row: Json): number => {
  const index = defined(venue.tokenWithId(textIn(row, "asset"))).index
  return books.find(maker.index, index)
}

const near = (a: number, b: number, what: string) => assert.closeTo(a, b, 1e-6, what)

describe("data v1 position routes", () => {
  it("list every open and closed position once, with the venue's fields", () => {
    const own = positionsOf(maker.index)
    const ids = (held: boolean) => own.filter((position) => books.shares.get(position) > 0 === held)
    assert.sameMembers(open.map(positionOf), ids(true))
    assert.sameMembers(closed.map(positionOf), ids(false))
    assert.isAbove(open.length, 50)
    assert.isAbove(closed.length, 50)
    for (const row of open) assert.deepStrictEqual(Object.keys(row), positionFields.split(" "))
    for (const row of closed) assert.deepStrictEqual(Object.keys(row), closedFields.split(" "))
  })

  it("gains match the books", () => {
    for (const row of open) {
      const position = positionOf(row)
      const { market, outcome } = token(books.tokenOf.get(position))
      const [realized, gain] = [numberIn(row, "realizedPnl"), numberIn(row, "cashPnl")]
      assert.strictEqual(numberIn(row, "size"), books.shares.get(position) / 1e6)
      assert.strictEqual(row["redeemable"], market.payouts !== undefined)
      near(numberIn(row, "currentValue") - numberIn(row, "initialValue"), gain, "gain")
      near(numberIn(row, "size") * numberIn(row, "avgPrice"), numberIn(row, "initialValue"), "cost")
      if (market.payouts === undefined) {
        assert.strictEqual(realized, books.realized.get(position) / 1e6)
        near(numberIn(row, "initialValue"), books.cost.get(position) / 1e6, "cost")
      } else {
        // The books realize it at resolution, the service at redemption.
        const [first, second] = market.payouts
        assert.strictEqual(row["curPrice"], market.payouts[outcome] / (first + second))
        assert.closeTo(realized + gain, books.realized.get(position) / 1e6, 2e-6)
        assert.isAbove(numberIn(row, "initialValue"), -1e-9)
      }
    }
    for (const row of closed) {
      assert.strictEqual(row["realizedPnl"], books.realized.get(positionOf(row)) / 1e6)
      assert.strictEqual(row["totalBought"], books.bought.get(positionOf(row)) / 1e6)
      assert.isAtMost(numberIn(row, "timestamp"), sim.now() / 1000)
    }
  })

  it("the average price of a closed position covers all bought shares", () => {
    for (const row of closed.slice(0, 60)) {
      const index = books.tokenOf.get(positionOf(row))
      const { market } = token(index)
      let [paid, bought, last] = [0, 0, 0]
      for (let tx = 0; tx < facts.length; tx++) {
        if (facts.market.get(tx) !== market.index) continue
        const time = sim.model.world.clock.timestampOf(facts.block.get(tx) + firstBlock)
        const isOwn = facts.wallet.get(tx) === maker.index
        if (isOwn && facts.kind.get(tx) !== TxKind.match && facts.kind.get(tx) !== TxKind.convert) last = time
        if (isOwn && facts.kind.get(tx) === TxKind.split) {
          paid += facts.amount.get(tx) / 2
          bought += facts.amount.get(tx)
        }
        const first = facts.firstFill.get(tx)
        for (let fill = first; fill < first + facts.fillCount.get(tx); fill++) {
          if (facts.maker.get(fill) !== maker.index || facts.fillToken.get(fill) !== index) continue
          last = time
          if (facts.side.get(fill) !== Side.buy) continue
          paid += facts.usd.get(fill)
          bought += facts.shares.get(fill)
        }
      }
      near(numberIn(row, "avgPrice"), bought === 0 ? 0 : paid / bought, textIn(row, "title"))
      assert.isAtLeast(numberIn(row, "timestamp"), Math.min(last, Math.floor(sim.now() / 1000)))
    }
  })

  it("can be sorted and filtered", () => {
    const of = (query: string) => list(`/positions?user=${maker.address}&limit=500&sizeThreshold=0&${query}`)
    const falling = (rows: ReadonlyArray<Json>, name: string) => {
      const values = rows.map((row) => numberIn(row, name))
      assert.deepStrictEqual(
        values,
        [...values].sort((a, b) => b - a),
        name,
      )
    }
    for (const [sort, name] of [
      ["TOKENS", "size"],
      ["CURRENT", "currentValue"],
      ["INITIAL", "initialValue"],
      ["CASHPNL", "cashPnl"],
      ["AVGPRICE", "avgPrice"],
      ["PRICE", "curPrice"],
    ] as const) {
      falling(of(`sortBy=${sort}`), name)
      falling([...of(`sortBy=${sort}&sortDirection=asc`)].reverse(), name)
    }
    falling(of(""), "size")
    falling(closed, "realizedPnl")
    for (const name of ["TIMESTAMP", "AVGPRICE", "PRICE"]) {
      const field = { TIMESTAMP: "timestamp", AVGPRICE: "avgPrice", PRICE: "curPrice" }[name] ?? ""
      falling(list(`/closed-positions?user=${maker.address}&limit=50&sortBy=${name}`), field)
    }
    assert.isTrue(of("redeemable=true").every((row) => row["redeemable"] === true))
    assert.isTrue(of("mergeable=true").every((row) => row["mergeable"] === true))
    const usual = pages(`/positions?user=${maker.address}`, 500, 4)
    assert.lengthOf(usual, open.filter((row) => numberIn(row, "size") >= 1).length)
    const title = textIn(defined(open[0]), "title").slice(3, 20).toUpperCase()
    const titled = of(`title=${encodeURIComponent(title)}`)
    assert.isTrue(titled.length > 0 && titled.every((row) => textIn(row, "title").toUpperCase().includes(title)))
    const { market } = token(books.tokenOf.get(positionOf(defined(open[0]))))
    const inMarket = of(`market=${market.conditionId},0x${"0".repeat(64)}`)
    assert.isTrue(inMarket.length > 0 && inMarket.every((row) => row["conditionId"] === market.conditionId))
    assert.isTrue(of(`eventId=${market.event.id}`).every((row) => row["eventId"] === market.event.id))
    assert.lengthOf(list(`/closed-positions?user=${maker.address}`), 10)
    assert.deepStrictEqual(list(`/positions?user=0x${"1".repeat(40)}`), [])
  })
})

describe("data v1 totals", () => {
  it("a user's totals are the value of all shares and the number of markets", () => {
    const worth = (rows: ReadonlyArray<Json>) => rows.reduce((sum, row) => sum + numberIn(row, "currentValue"), 0)
    const worthWith = (query: string) => numberIn(defined(list(`/value?user=${maker.address}${query}`)[0]), "value")
    const conditionId = textIn(defined(open[0]), "conditionId")
    const inMarket = open.filter((row) => row["conditionId"] === conditionId)
    assert.closeTo(worthWith(`&market=${conditionId}`), worth(inMarket), 1e-5)
    // Combos count as well.
    assert.isAbove(worthWith(""), worth(open) - 0.01)
    const markets = new Set([...books.positionsOf(maker.index)].map((each) => token(books.tokenOf.get(each)).market))
    assert.deepStrictEqual(one(`/traded?user=${maker.address}`), { user: maker.address, traded: markets.size })
  })

  it("a market's totals are its holders, open interest and volume", () => {
    const busy = most(venue.markets, ({ trades, legs }) => (legs === undefined ? trades : 0))
    const groups = list(`/holders?market=${busy.conditionId}&limit=5`)
    assert.deepStrictEqual(
      groups.map(({ token }) => token),
      busy.tokens.map((index) => token(index).id),
    )
    groups.forEach((group, outcome) => {
      const held = [...books.holdersOf(busy.tokens[outcome as 0 | 1])]
        .map((position) => books.shares.get(position) / 1e6)
        .filter((shares) => shares >= 1)
        .sort((a, b) => b - a)
        .slice(0, 5)
      const rows = group["holders"] as ReadonlyArray<Json>
      assert.deepStrictEqual(
        rows.map(({ amount }) => amount),
        held,
      )
      for (const row of rows) assert.strictEqual(row["outcomeIndex"], outcome)
    })
    assert.deepStrictEqual(list(`/oi?market=${busy.conditionId}`), [
      { market: busy.conditionId, value: busy.openInterest / 1e6 },
    ])
    assert.strictEqual(defined(list("/oi")[0])["market"], "GLOBAL")
    const [volume] = list(`/live-volume?id=${busy.event.id}`)
    const total = busy.event.markets.reduce((sum, index) => sum + market(index).volume, 0)
    assert.strictEqual(defined(volume)["total"], total / 1e6)
  })

  it("market positions are sorted and grouped by outcome", () => {
    const busy = most(venue.markets, ({ trades, legs }) => (legs === undefined ? trades : 0))
    const groups = list(`/v1/market-positions?market=${busy.conditionId}&status=ALL&limit=500`)
    assert.lengthOf(groups, 2)
    groups.forEach((group, outcome) => {
      const rows = group["positions"] as ReadonlyArray<Json>
      const gains = rows.map((row) => numberIn(row, "totalPnl"))
      assert.deepStrictEqual(
        gains,
        [...gains].sort((a, b) => b - a),
      )
      const holders = [...books.holdersOf(busy.tokens[outcome as 0 | 1])].filter(isReal)
      assert.sameMembers(
        rows.map((row) => textIn(row, "proxyWallet")),
        holders.map((each) => address(books.walletOf.get(each))),
      )
    })
    const one = list(`/v1/market-positions?market=${busy.conditionId}&user=${defined(wallets[0]).address}`)
    for (const { positions } of one) assert.isAtMost((positions as ReadonlyArray<Json>).length, 1)
  })
})
