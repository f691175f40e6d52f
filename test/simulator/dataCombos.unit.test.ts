import { assert, describe, it } from "@effect/vitest"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { defined, type Json, type List, most, numberIn, type Page, served, textIn } from "./dataVenue.ts"

const world = served(8)
// Long enough for combos to be traded, resolved and redeemed.
world.sim.setRate(2)
world.sim.advance(5 * 3_600_000)
world.sim.settle()
const { facts, venue, books, sim, wallets, crawl, one, page, errorOf, token, market, end } = world

const positionFields =
  "combo_condition_id combo_position_id outcome_index outcome_label proxy_wallet current_size entry_avg_price_usdc entry_cost_usdc gross_entry_cost_usdc entry_fees_usdc realized_payout_usdc status redeemable first_entry_at resolved_at legs_total legs_resolved legs_pending legs updated_at"
const legFields =
  "leg_index leg_position_id leg_condition_id leg_outcome_index leg_outcome_label leg_status leg_resolved_at leg_current_price market"
const legMarketFields = "market_id slug title outcome image_url icon_url category subcategory tags end_date event"
const activityFields =
  "id type proxy_wallet combo_condition_id combo_position_id amount_usdc payout_usdc timestamp transaction_hash block_number legs"

const isCombo = (position: number) => token(books.tokenOf.get(position)).market.isCombo
const combosOf = (wallet: number) => [...books.positionsOf(wallet)].filter(isCombo)
const trader = most(wallets, ({ index }) => combosOf(index).length)
const all = `status=OPEN,PARTIAL,RESOLVED_WIN,RESOLVED_LOSS,RESOLVED_PARTIAL`
const text = (rows: List) => JSON.stringify(rows)

const positionOf = (row: Json) => {
  const { index } = defined(venue.tokenWithId(textIn(row, "combo_position_id")))
  return books.find(trader.index, index)
}

/** The on-chain payouts, by outcome. */
const collected = (marketIndex: number, outcome: number) => {
  const { payouts } = market(marketIndex)
  let sum = 0
  for (const tx of facts.byWallet.of(trader.index)) {
    if (facts.kind.get(tx) !== TxKind.redeem || facts.market.get(tx) !== marketIndex) continue
    const shares = (outcome === 0 ? facts.amount : facts.second).get(tx)
    const [first, second] = defined(payouts)
    sum += Math.floor((shares * (outcome === 0 ? first : second)) / (first + second))
  }
  return sum / 1e6
}

describe("data combo positions", () => {
  const rows = crawl(`/v2/positions/combos?user=${trader.address}&${all}&limit=7`)

  it("match the books, with costs and payouts", () => {
    const expected = combosOf(trader.index).filter((position) => {
      const { payouts } = token(books.tokenOf.get(position)).market
      return books.shares.get(position) >= 1_000 || payouts !== undefined
    })
    assert.isAbove(expected.length, 10)
    assert.sameMembers(rows.map(positionOf), expected)
    for (const row of rows) {
      assert.deepStrictEqual(Object.keys(row), positionFields.split(" "))
      const position = positionOf(row)
      const { market: combo, outcome } = token(books.tokenOf.get(position))
      assert.strictEqual(row["current_size"], books.shares.get(position) / 1e6)
      assert.strictEqual(row["combo_condition_id"], combo.conditionId)
      assert.strictEqual(row["outcome_index"], outcome)
      assert.strictEqual(row["outcome_label"], outcome === 0 ? "Yes" : "No")
      assert.match(textIn(row, "gross_entry_cost_usdc"), /^\d+\.\d{6}$/)
      assert.strictEqual(row["realized_payout_usdc"], combo.payouts ? collected(combo.index, outcome) : 0)
      assert.isAtMost(Date.parse(textIn(row, "first_entry_at")), Date.parse(textIn(row, "updated_at")))
    }
    const paid = rows.reduce((sum, row) => sum + Number(row["gross_entry_cost_usdc"]), 0)
    assert.isAbove(paid, 0)
  })

  it("the status follows from the legs and the resolution", () => {
    const seen = new Set<unknown>()
    for (const row of rows) {
      const { market: combo, outcome } = token(books.tokenOf.get(positionOf(row)))
      const resolved = defined(combo.legs).filter((leg) => leg.market.payouts !== undefined).length
      assert.deepStrictEqual(
        [row["legs_total"], row["legs_resolved"], row["legs_pending"]],
        [combo.legs?.length, resolved, defined(combo.legs).length - resolved],
      )
      const paid = combo.payouts?.[outcome]
      const other = combo.payouts?.[1 - outcome]
      const status =
        paid === undefined
          ? resolved > 0
            ? "PARTIAL"
            : "OPEN"
          : paid === 0
            ? "RESOLVED_LOSS"
            : other === 0
              ? "RESOLVED_WIN"
              : "RESOLVED_PARTIAL"
      assert.strictEqual(row["status"], status)
      assert.strictEqual(row["resolved_at"] === null, combo.payouts === undefined)
      assert.strictEqual(row["redeemable"], paid !== undefined && paid > 0 && numberIn(row, "current_size") > 0)
      seen.add(status)
    }
    assert.includeMembers([...seen], ["OPEN", "RESOLVED_LOSS", "RESOLVED_WIN"])
    for (const status of ["RESOLVED_WIN", "RESOLVED_LOSS"]) {
      const some = crawl(`/v2/positions/combos?user=${trader.address}&status=${status}`)
      assert.lengthOf(some, rows.filter((row) => row["status"] === status).length)
    }
  })

  it("legs match the catalogue and the chain", () => {
    for (const row of rows.slice(0, 5)) {
      const combo = defined(venue.marketWithCondition(textIn(row, "combo_condition_id")))
      const legs = row["legs"] as List
      assert.lengthOf(legs, defined(combo.legs).length)
      legs.forEach((leg, index) => {
        assert.deepStrictEqual(Object.keys(leg), legFields.split(" "))
        const { market: its, outcome } = defined(combo.legs?.[index])
        assert.deepInclude(leg, { leg_index: index, leg_condition_id: its.conditionId, leg_outcome_index: outcome })
        assert.strictEqual(leg["leg_status"] === "OPEN", its.payouts === undefined)
        const shown = leg["market"] as Json
        assert.deepStrictEqual(Object.keys(shown), legMarketFields.split(" "))
        assert.deepInclude(shown, { market_id: its.id, slug: its.plan.slug, outcome: its.plan.outcomes[outcome] })
        assert.deepInclude(shown["event"] as Json, { event_id: its.event.id, event_slug: its.event.plan.slug })
        const hex = BigInt(textIn(leg, "leg_position_id")).toString(16).padStart(64, "0")
        assert.match(hex, /^0[12]/)
        const changed = [...facts.comboChanges].find(([, steps]) =>
          steps.some((step) => step.prepared.includes(combo.index)),
        )
        const prepared =
          [...facts.byMarket.of(combo.index)].find((tx) => facts.kind.get(tx) === TxKind.prepare) ?? changed?.[0]
        assert.include(JSON.stringify(sim.logs.logsOf(defined(prepared))), hex)
      })
    }
  })

  it("are sorted, filtered and paged by a cursor that carries its query", () => {
    for (const [sort, name] of [
      ["FIRST_ENTRY", "first_entry_at"],
      ["ENTRY_COST", "entry_cost_usdc"],
      ["UPDATED", "updated_at"],
    ] as const) {
      const values = crawl(`/v2/positions/combos?user=${trader.address}&${all}&sort_by=${sort}&limit=9`).map(
        (row) => row[name] as string | number,
      )
      const falling = [...values].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))
      assert.deepStrictEqual(values, falling, sort)
    }
    const held = crawl(`/v2/positions/combos?user=${trader.address}`)
    assert.isTrue(held.every((row) => numberIn(row, "current_size") > 0))
    const [first] = held
    const condition = textIn(defined(first), "combo_condition_id")
    for (const spelled of [condition, condition.slice(0, 64)]) {
      const named = crawl(`/v2/positions/combos?user=${trader.address}&condition=${spelled}`)
      assert.isTrue(named.length > 0 && named.every((row) => row["combo_condition_id"] === condition))
    }
    const { next_cursor } = page(`/v2/positions/combos?user=${trader.address}&${all}&limit=7`).pagination
    assert.strictEqual(text(page(`/v2/positions/combos?cursor=${next_cursor}`).data), text(rows.slice(7, 14)))
    assert.strictEqual(errorOf(`/v2/positions/combos?cursor=${next_cursor}&status=OPEN`).status, 400)
    for (const wrong of ["", "user=5", `user=${trader.address}&condition=0x12`, `user=${trader.address}&status=LOST`]) {
      assert.strictEqual(errorOf(`/v2/positions/combos?${wrong}`).status, 400, wrong)
    }
    assert.deepStrictEqual(page(`/v2/positions/combos?user=0x${"1".repeat(40)}`).data, [])
  })

  it("v1 returns the same rows under `combos`", () => {
    const path = `/v1/positions/combos?user=${trader.address}&${all}&sort=first_entry_desc`
    const seen: Array<Json> = []
    let cursor: string | null = null
    do {
      const answer = one(cursor === null ? `${path}&limit=6` : `${path}&limit=6&cursor=${cursor}`)
      seen.push(...(answer["combos"] as List))
      cursor = (answer["pagination"] as Page["pagination"]).next_cursor
    } while (cursor !== null)
    assert.strictEqual(text(seen), text(rows))
    const later = one(`${path}&limit=6&offset=6`)
    assert.strictEqual(text(later["combos"] as List), text(rows.slice(6, 12)))
    assert.strictEqual(errorOf(`${path}&offset=100001`).status, 400)
  })
})

describe("data combo activity", () => {
  const txs = [...facts.byWallet.of(trader.index)].filter((tx) => {
    const kind = facts.kind.get(tx)
    const of = venue.markets[facts.market.get(tx)]
    return tx < end() && of?.isCombo && [TxKind.split, TxKind.merge, TxKind.redeem].some((each) => each === kind)
  })
  const rows = crawl(`/v2/activity/combos?user=${trader.address}&limit=3`)

  it("lists splits, merges and redemptions, newest first", () => {
    assert.isAbove(txs.length, 3)
    const hashes = rows.map((row) => textIn(row, "transaction_hash"))
    assert.deepStrictEqual(
      [...new Set(hashes)],
      txs.map((tx) => sim.chain.transactionHash(tx)),
    )
    assert.lengthOf(new Set(rows.map(({ id }) => id)), rows.length)
    for (const row of rows) {
      assert.deepStrictEqual(Object.keys(row), activityFields.split(" "))
      const tx = defined(sim.chain.txByHash(textIn(row, "transaction_hash")))
      assert.strictEqual(row["block_number"], facts.block.get(tx) + firstBlock)
      const isRedeem = facts.kind.get(tx) === TxKind.redeem
      assert.deepStrictEqual([row["amount_usdc"] === null, row["payout_usdc"] === null], [isRedeem, !isRedeem])
      if (!isRedeem) assert.strictEqual(row["amount_usdc"], facts.amount.get(tx) / 1e6)
    }
    for (const tx of txs.filter((each) => facts.kind.get(each) === TxKind.redeem)) {
      const own = rows.filter((row) => row["transaction_hash"] === sim.chain.transactionHash(tx))
      const paid = own.reduce((sum, row) => sum + numberIn(row, "payout_usdc"), 0)
      assert.closeTo(paid, facts.extra.get(tx) / 1e6, 1e-6)
    }
  })

  it("can be filtered by combo, and v1 returns the same rows", () => {
    const condition = textIn(defined(rows[0]), "combo_condition_id")
    const named = crawl(`/v2/activity/combos?user=${trader.address}&condition=${condition}`)
    assert.strictEqual(text(named), text(rows.filter((row) => row["combo_condition_id"] === condition)))
    const first = one(`/v1/activity/combos?user=${trader.address}&limit=5&market_id=${condition}`)
    assert.strictEqual(text(first["activity"] as List), text(named.slice(0, 5)))
    assert.strictEqual(errorOf("/v1/activity/combos").status, 400)
    assert.strictEqual(errorOf(`/v2/activity/combos?user=${trader.address}&cursor=bm9uc2Vuc2U`).status, 400)
  })
})
