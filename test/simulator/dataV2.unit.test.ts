import { assert, describe, it } from "@effect/vitest"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { exchangeAsTaker, TxKind } from "#src/simulator/world/Facts.ts"
import { defined, type Json, most, numberIn, served, textIn } from "./dataVenue.ts"

const world = served(5)
const { page, list, one, errorOf, crawl, maker, facts, books, venue, sim, token, market, end } = world

const tradeFields =
  "proxy_wallet side token_id condition_id size price timestamp title slug icon event_slug outcome outcome_index name pseudonym bio profile_image profile_image_optimized transaction_hash"
const positionFields =
  "proxy_wallet token_id condition_id current_size avg_price entry_cost_usdc entry_fees_usdc total_cost_usdc current_price current_value total_size realized_pnl unrealized_pnl total_pnl percent_pnl percent_realized_pnl status redeemable mergeable negative_risk archived title slug icon event_id event_slug outcome outcome_index opposite_outcome opposite_token_id end_date last_event_at name profile_image verified"
const resolutionFields =
  "question_id condition_id status extended_review was_disputed new_version_q proposed_price reproposed_price price transaction_hash log_index last_update_timestamp market_type payouts resolution_source reporter was_arbitrated resolved_block resolved_at"

const busy = most(venue.markets, ({ trades, legs }) => (legs === undefined ? trades : 0))
const text = (rows: ReadonlyArray<Json>) => JSON.stringify(rows)

describe("data v2 trades", () => {
  it("are the v1 rows with renamed fields in an envelope", () => {
    const { data, pagination } = page("/v2/trades?limit=50&taker_only=false")
    const first = list("/trades?limit=50&takerOnly=false")
    assert.deepStrictEqual(
      data.map((row) => Object.values(row)),
      first.map((row) => Object.values(row)),
    )
    for (const row of data) assert.deepStrictEqual(Object.keys(row), tradeFields.split(" "))
    assert.include(pagination, { limit: 50, offset: 0, has_more: true })
    assert.lengthOf(page("/v2/trades").data, 100)
    assert.strictEqual(text(page("/v2/trades?takerOnly=false&limit=50").data), text(data))
  })

  it("pages neither repeat nor skip rows while new trades arrive", () => {
    const moving = served(6)
    const taken = ({ index }: { readonly index: number }) =>
      [...moving.facts.fillsByMaker.of(index)].filter((fill) => moving.facts.taker.get(fill) === exchangeAsTaker).length
    for (const query of [
      "limit=700&taker_only=false",
      `limit=90&user=${moving.maker.address}&taker_only=false`,
      `limit=7&user=${most(moving.wallets, taken).address}`,
      `limit=11&condition=${most(moving.venue.markets, ({ trades }) => trades).conditionId}&taker_only=false`,
    ]) {
      const before = moving.crawl(`/v2/trades?${query}`)
      assert.isAbove(before.length, 10)
      assert.strictEqual(
        text(moving.crawl(`/v2/trades?${query}`, () => moving.sim.advance(2_000))),
        text(before),
        query,
      )
    }
  })

  it("omit dust and accept a time range only with a user", () => {
    const size = numberIn(defined(page("/v2/trades?limit=1").data[0]), "size")
    const large = crawl(`/v2/trades?limit=1000&filter_type=TOKENS&filter_amount=${size}`)
    assert.isTrue(large.length > 0 && large.every((row) => numberIn(row, "size") >= size))
    assert.strictEqual(errorOf("/v2/trades?start=1").status, 400)
    assert.strictEqual(
      text(page(`/v2/trades?user=${maker.address}&start=1&taker_only=false`).data),
      text(page(`/v2/trades?user=${maker.address}&taker_only=false`).data),
    )
  })
})

describe("data v2 activity", () => {
  const base = `/v2/activity?user=${maker.address}&limit=1000`

  it("has one row per redeemed outcome, adding up to the payout", () => {
    const rows = crawl(`${base}&type=REDEEM`)
    const txs = [...facts.byWallet.of(maker.index)].filter((tx) => tx < end() && facts.kind.get(tx) === TxKind.redeem)
    assert.isAbove(txs.length, 10)
    for (const tx of txs) {
      const own = rows.filter((row) => row["transaction_hash"] === sim.chain.transactionHash(tx))
      const paid = own.reduce((sum, row) => sum + numberIn(row, "usdc_size"), 0)
      assert.closeTo(paid, facts.extra.get(tx) / 1e6, 1e-6)
      const amounts = [facts.second.get(tx), facts.amount.get(tx)].filter((amount) => amount > 0)
      assert.deepStrictEqual(
        own.map((row) => row["size"]),
        amounts.map((amount) => amount / 1e6),
      )
      const { tokens } = market(facts.market.get(tx))
      for (const row of own) {
        assert.strictEqual(row["token_id"], token(tokens[numberIn(row, "outcome_index") as 0 | 1]).id)
        assert.isNull(row["side"])
      }
    }
  })

  it("is paged in both directions", () => {
    const all = crawl(base)
    assert.isAbove(all.length, 500)
    for (const direction of ["DESC", "ASC"]) {
      const rows = crawl(`/v2/activity?user=${maker.address}&limit=130&sortDirection=${direction}`)
      assert.strictEqual(text(rows), text(direction === "ASC" ? [...all].reverse() : all))
    }
    const combos = all.filter((row) => row["is_combo"] === true)
    for (const row of combos) assert.match(textIn(row, "slug"), /^combo-/)
    assert.isTrue(all.every((row) => !textIn(row, "slug").startsWith("combo-") || row["is_combo"] === true))
  })
})

describe("data v2 positions", () => {
  const of = (query: string) => crawl(`/v2/positions?user=${maker.address}&limit=100&${query}`)

  it("have a status and consistent gains", () => {
    const open = of("filter_amount=0&filter_type=TOKENS")
    const closed = of("status=CLOSED")
    for (const row of [...open, ...closed]) {
      assert.deepStrictEqual(Object.keys(row), positionFields.split(" "))
      const { index, market } = defined(venue.tokenWithId(textIn(row, "token_id")))
      const position = books.find(maker.index, index)
      const isHeld = books.shares.get(position) > 0
      const status =
        market.payouts === undefined ? "OPEN" : row["current_price"] === 0 ? "REDEEMABLE_LOST" : "REDEEMABLE"
      assert.strictEqual(row["status"], isHeld ? status : "CLOSED")
      const [realized, unrealized] = [numberIn(row, "realized_pnl"), numberIn(row, "unrealized_pnl")]
      assert.closeTo(numberIn(row, "total_pnl"), realized + unrealized, 1e-6)
      assert.closeTo(
        numberIn(row, "entry_cost_usdc") + numberIn(row, "entry_fees_usdc"),
        numberIn(row, "total_cost_usdc"),
        1e-6,
      )
      if (market.payouts !== undefined)
        assert.closeTo(numberIn(row, "total_pnl"), books.realized.get(position) / 1e6, 2e-6)
    }
    assert.isAbove(closed.length, 10)
    for (const status of ["REDEEMABLE", "REDEEMABLE_LOST"]) {
      const expected = open.filter((row) => row["status"] === status && numberIn(row, "current_size") >= 0.1)
      assert.strictEqual(of(`status=${status}`).length, expected.length)
    }
    assert.isTrue(of("status=MERGEABLE").every((row) => row["mergeable"] === true))
  })

  it("are sorted, and cursors carry their query", () => {
    for (const [sort, name] of [
      ["CURRENT_VALUE", "current_value"],
      ["TOKENS", "current_size"],
      ["UNREALIZED_PNL", "unrealized_pnl"],
      ["REALIZED_PNL", "realized_pnl"],
      ["TOTAL_PNL", "total_pnl"],
      ["TIMESTAMP", "last_event_at"],
    ] as const) {
      const values = of(`sort_by=${sort}`).map((row) => numberIn(row, name))
      assert.deepStrictEqual(
        values,
        [...values].sort((a, b) => b - a),
        sort,
      )
      assert.lengthOf(of(`sort_by=${sort}&sort_direction=ASC`), values.length)
    }
    const first = page(`/v2/positions?user=${maker.address}&limit=10&sortBy=TOKENS`)
    const cursor = first.pagination.next_cursor
    const alone = page(`/v2/positions?cursor=${cursor}`)
    assert.strictEqual(text(alone.data), text(of("sort_by=TOKENS").slice(10, 20)))
    assert.strictEqual(errorOf(`/v2/positions?cursor=${cursor}&sort_by=TIMESTAMP`).error["parameter"], "sort_by")
    assert.strictEqual(errorOf(`/v2/positions?cursor=${cursor}&status=CLOSED`).status, 400)
  })

  it("can be listed for all users of a market", () => {
    const rows = crawl(`/v2/positions?condition=${busy.conditionId}&limit=20`)
    const held = busy.tokens
      .flatMap((index) => [...books.holdersOf(index)])
      .filter((each) => books.shares.get(each) >= 1e5)
    assert.lengthOf(rows, held.length)
    assert.strictEqual(errorOf("/v2/positions").status, 400)
    assert.strictEqual(errorOf(`/v2/positions?condition=${busy.conditionId},0x${"1".repeat(64)}`).status, 400)
    assert.lengthOf(page(`/v2/positions?condition=0x${"1".repeat(64)}`).data, 0)
  })
})

describe("data v2 API", () => {
  it("invalid requests get structured errors", () => {
    const { status, error } = errorOf("/v2/trades?limit=1001")
    assert.strictEqual(status, 400)
    assert.include(error, { code: "invalid_request", retryable: false, parameter: "limit" })
    assert.strictEqual(world.send("/v2/trades?limit=1001").headers?.["x-trace-id"]?.length, 32)
    assert.strictEqual(errorOf("/v2/trades?offset=0").error["parameter"], "offset")
    assert.strictEqual(errorOf("/v2/trades?cursor=bm9uc2Vuc2U").error["parameter"], "cursor")
    assert.strictEqual(errorOf("/v2/activity").error["parameter"], "user")
    assert.strictEqual(errorOf(`/v2/trades?condition=${busy.conditionId}&eventId=1`).status, 400)
    const many = Array.from({ length: 21 }, (_, i) => `0x${String(i).padStart(64, "0")}`).join()
    assert.strictEqual(errorOf(`/v2/trades?condition=${many}`).error["parameter"], "condition")
    assert.strictEqual(errorOf("/v2/nowhere").error["code"], "not_found")
    assert.include(JSON.parse(world.send("/v2/trades", "DELETE").body), { code: "method_not_allowed" })
  })

  it("resolutions match the chain", () => {
    const done = defined(venue.markets.find((each) => each.payouts !== undefined && each.legs === undefined))
    const { data } = page(`/v2/resolutions?condition=${done.conditionId},${busy.conditionId}`)
    for (const row of data) assert.sameMembers(Object.keys(row), resolutionFields.split(" "))
    const row = defined(data.find(({ condition_id }) => condition_id === done.conditionId))
    const [first, second] = defined(done.payouts)
    assert.strictEqual(row["status"], "resolved")
    assert.deepStrictEqual(row["payouts"], [(first * 1e6) / (first + second), (second * 1e6) / (first + second)])
    const tx = defined(sim.chain.txByHash(textIn(row, "transaction_hash")))
    assert.strictEqual(facts.kind.get(tx), TxKind.resolve)
    assert.strictEqual(row["resolved_block"], facts.block.get(tx) + firstBlock)
    assert.isAtLeast(numberIn(row, "log_index"), 0)
    assert.strictEqual(text(page(`/v2/resolutions?question_id=${done.questionId}`).data), text([row]))
    const open = defined(venue.markets.findLast(({ payouts, legs }) => payouts === undefined && legs === undefined))
    assert.include(defined(page(`/v2/resolutions?condition=${open.conditionId}`).data[0]), {
      price: "69",
      payouts: null,
    })
    assert.strictEqual(errorOf("/v2/resolutions").status, 400)
  })

  it("user-stats sums up a user", () => {
    const { data } = one(`/v2/user-stats?user=${maker.address}`)
    const stats = data as Json
    const pnl = stats["all_time_pnl"] as Json
    let [realized, biggest] = [0, 0]
    for (const position of books.positionsOf(maker.index)) {
      realized += books.realized.get(position)
      biggest = Math.max(biggest, books.realized.get(position))
    }
    assert.strictEqual(pnl["realized_pnl"], realized / 1e6)
    assert.strictEqual(stats["biggest_win"], biggest / 1e6)
    const fills = [...facts.fillsByMaker.of(maker.index)]
    assert.strictEqual(pnl["trade_count"], fills.length)
    assert.strictEqual(pnl["volume_usdc"], fills.reduce((sum, fill) => sum + facts.usd.get(fill), 0) / 1e6)
    assert.strictEqual(errorOf(`/v2/user-stats?user=0x${"1".repeat(40)}`).status, 404)
  })
})
