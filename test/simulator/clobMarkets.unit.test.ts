import { assert, describe, it } from "@effect/vitest"
import { rewardsOf } from "#src/simulator/world/MakerPayouts.ts"
import { defined, type Json, served } from "./clobWorld.ts"

const { sim, venue, facts, listed, open, get, tokensOf } = served(4)

interface Page {
  readonly data: ReadonlyArray<Json>
  readonly next_cursor: string
  readonly limit: number
  readonly count: number
}

/** All pages of a list, read like the venue's client does. */
const all = (path: string): ReadonlyArray<Json> => {
  const rows: Array<Json> = []
  let cursor = "MA=="
  for (let pages = 0; cursor !== "LTE="; pages++) {
    assert.isBelow(pages, 1000)
    const page: Page = get(`${path}${path.includes("?") ? "&" : "?"}next_cursor=${encodeURIComponent(cursor)}`)
    assert.strictEqual(page.count, page.data.length)
    assert.isAtMost(page.count, page.limit)
    rows.push(...page.data)
    cursor = page.next_cursor
  }
  return rows
}

const conditions = (rows: ReadonlyArray<Json>) => rows.map((row) => row["condition_id"])
const rewarded = () => open().filter((market) => rewardsOf(market).daily > 0)

describe("clob market routes", () => {
  it("pages contain every market once and no combos", () => {
    const expected = listed().map(({ conditionId }) => conditionId)
    assert.isBelow(expected.length, venue.markets.length)
    assert.deepStrictEqual(conditions(all("/markets")), expected)
    assert.deepStrictEqual(conditions(all("/simplified-markets")), expected)
    assert.deepStrictEqual(get("/markets?next_cursor=LTE%3D").data, [])
  })

  it("sampling routes list the open markets with maker rewards", () => {
    const expected = rewarded().map(({ conditionId }) => conditionId)
    assert.isAbove(expected.length, 10)
    assert.deepStrictEqual(conditions(all("/sampling-markets")), expected)
    assert.deepStrictEqual(conditions(all("/sampling-simplified-markets")), expected)
    assert.deepStrictEqual(conditions(all("/rewards/markets/current")), expected)
    assert.deepStrictEqual(all("/rewards/markets/current?sponsored=true"), [])
  })

  it("a single market equals its row in the list", () => {
    const rows = all("/markets")
    for (const row of rows.filter((_, index) => index % 200 === 0)) {
      assert.deepStrictEqual(get(`/markets/${row["condition_id"]}`), row)
    }
  })

  it("tokens have prices, and a winner after resolution", () => {
    const tokensIn = (conditionId: string): ReadonlyArray<Json> => get(`/markets/${conditionId}`).tokens
    const market = defined(open().find(({ trades }) => trades > 0))
    for (const [index, token] of tokensOf(market).entries()) {
      assert.deepStrictEqual(tokensIn(market.conditionId)[index], {
        token_id: token.id,
        outcome: market.plan.outcomes[index],
        price: Number(get(`/midpoint?token_id=${token.id}`).mid),
        winner: false,
      })
    }
    const decided = defined(listed().find(({ payouts }) => payouts?.[0] === 0))
    const winners = tokensIn(decided.conditionId).map(({ price, winner }) => [price, winner])
    assert.deepStrictEqual(winners, [
      [0, false],
      [1, true],
    ])
    const row = get(`/markets/${decided.conditionId}`)
    assert.deepStrictEqual([row.closed, row.accepting_orders], [true, false])
  })

  it("rows have the types that the venue's clients read", () => {
    const negRisk = defined(open().find(({ event }) => event.plan.negRisk))
    const row = get(`/markets/${negRisk.conditionId}`)
    assert.strictEqual(row.neg_risk_market_id, negRisk.event.negRiskMarketId)
    assert.strictEqual(row.minimum_tick_size, sim.model.world.tickOf(negRisk) / 1000)
    assert.strictEqual(row.end_date_iso, new Date(negRisk.plan.endsAt).toISOString().replace(".000", ""))
    assert.deepStrictEqual([row.active, row.closed, row.accepting_orders], [true, false, true])
    assert.isNull(row.game_start_time)
    const game = defined(open().find(({ event }) => event.plan.game !== undefined))
    assert.match(get(`/markets/${game.conditionId}`).game_start_time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.strictEqual(get(`/markets/${game.conditionId}`).neg_risk_market_id, game.event.negRiskMarketId ?? "")
  })

  it("a market is found by token, and its settings have short keys", () => {
    for (const market of open().filter((_, index) => index % 100 === 0)) {
      const [first, second] = tokensOf(market)
      assert.deepStrictEqual(get(`/markets-by-token/${second.id}`), {
        condition_id: market.conditionId,
        primary_token_id: first.id,
        secondary_token_id: second.id,
      })
      const short = get(`/clob-markets/${market.conditionId}`)
      assert.strictEqual(short.mts, sim.model.world.tickOf(market) / 1000)
      assert.strictEqual(short.nr, market.event.plan.negRisk)
      assert.deepStrictEqual(
        short.t,
        [first, second].map(({ id, outcome }) => ({ t: id, o: market.plan.outcomes[outcome] })),
      )
      const { fees } = market.plan
      assert.deepStrictEqual(short.fd, fees && { r: fees.rate, e: fees.exponent, to: true })
    }
  })

  it("reward routes list the maker rewards", () => {
    const market = defined(rewarded()[0])
    const [row] = all(`/rewards/markets/${market.conditionId}`)
    const { daily, minSize, maxSpread } = rewardsOf(market)
    assert.deepInclude(row, { rewards_min_size: minSize, rewards_max_spread: maxSpread })
    const [config] = defined(row)["rewards_config"] as ReadonlyArray<Json>
    assert.strictEqual(config?.["rate_per_day"], daily)
    const unpaid = defined(open().find((each) => rewardsOf(each).daily === 0))
    assert.deepStrictEqual(all(`/rewards/markets/${unpaid.conditionId}`), [])
  })
})

describe("clob builder routes", () => {
  it("builder trades list every fill of the builder, newest first", () => {
    for (const [index, { code }] of sim.model.builders.entries()) {
      const fills = Array.from({ length: facts.fills }, (_, fill) => fill).filter(
        (fill) =>
          facts.builder.get(fill) === index + 1 && venue.tokens[facts.fillToken.get(fill)]?.market.legs === undefined,
      )
      const rows = all(`/builder/trades?builder_code=${code}`)
      assert.isAbove(rows.length, 0)
      assert.deepStrictEqual(
        rows.map(({ transactionHash, sizeUsdc }) => [transactionHash, sizeUsdc]),
        fills.reverse().map((fill) => [sim.chain.transactionHash(facts.txOf(fill)), String(facts.usd.get(fill) / 1e6)]),
      )
    }
  })

  it("builder trades can be filtered by market, token, maker and time", () => {
    const { code } = defined(sim.model.builders[0])
    const path = `/builder/trades?builder_code=${code}`
    const rows = all(path)
    const middle = defined(rows[rows.length >> 1])
    const filters: ReadonlyArray<readonly [string, string]> = [
      ["market", "market"],
      ["asset_id", "assetId"],
      ["maker_address", "maker"],
      ["id", "id"],
    ]
    for (const [param, field] of filters) {
      const expected = rows.filter((row) => row[field] === middle[field])
      assert.deepStrictEqual(all(`${path}&${param}=${middle[field]}`), expected)
    }
    const time = Number(middle["matchTime"])
    assert.deepStrictEqual(
      all(`${path}&after=${time - 3600}&before=${time + 3600}`),
      rows.filter(({ matchTime }) => Math.abs(Number(matchTime) - time) < 3600),
    )
  })

  it("builder fees are zero", () => {
    const { code } = defined(sim.model.builders[0])
    assert.deepStrictEqual(get(`/fees/builder-fees/${code}`), {
      builder_maker_fee_rate_bps: 0,
      builder_taker_fee_rate_bps: 0,
    })
  })
})
