import { assert, describe, it } from "@effect/vitest"
import { dataService } from "#src/simulator/data/dataService.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import { defined, type Json, type List, numberIn, served, textIn } from "./dataVenue.ts"

const day = 86_400_000
// Its history is longer than a day.
const world = served(7, "tiny")
const { list, page, one, crawl, facts, books, sim, token, wallets, end, address, maker } = world

interface Sums {
  pnl: number
  usd: number
  shares: number
}

/** Volume and realized PnL of every wallet since a time, computed from the facts. */
const sumsSince = (since: number, counts: (market: Market) => boolean) => {
  const sums = new Map<string, Sums>()
  const add = (wallet: number, name: keyof Sums, amount: number) => {
    const sum = sums.get(address(wallet)) ?? { pnl: 0, usd: 0, shares: 0 }
    sum[name] += amount
    sums.set(address(wallet), sum)
  }
  const shown = end()
  for (let tx = 0; tx < shown; tx++) {
    if (facts.at.get(tx) < since) continue
    const first = facts.firstFill.get(tx)
    for (let fill = first; fill < first + facts.fillCount.get(tx); fill++) {
      if (!counts(token(facts.fillToken.get(fill)).market)) continue
      add(facts.maker.get(fill), "usd", facts.usd.get(fill))
      add(facts.maker.get(fill), "shares", facts.shares.get(fill))
    }
  }
  for (let event = 0; event < books.eventTx.length; event++) {
    const tx = books.eventTx.get(event)
    const position = books.eventPosition.get(event)
    if (tx >= shown || facts.at.get(tx) < since || !counts(token(books.tokenOf.get(position)).market)) continue
    add(books.walletOf.get(position), "pnl", books.eventAmount.get(event))
  }
  return sums
}

const everything = () => true
const whole = (target: string): List =>
  [0, 50, 100, 150, 200].flatMap((offset) => list(`/v1/leaderboard?${target}&limit=50&offset=${offset}`))

describe("data leaderboard routes", () => {
  const check = (target: string, since: number, counts: (market: Market) => boolean) => {
    const sums = sumsSince(since, counts)
    for (const [orderBy, name] of [
      ["PNL", "pnl"],
      ["VOL", "vol"],
    ] as const) {
      const rows = whole(`${target}&orderBy=${orderBy}`)
      assert.isAbove(rows.length, 5, target)
      const values = rows.map((row) => numberIn(row, name))
      assert.deepStrictEqual(
        values,
        [...values].sort((a, b) => b - a),
      )
      rows.forEach((row, index) => {
        assert.strictEqual(row["rank"], String(index + 1))
        const sum = defined(sums.get(textIn(row, "proxyWallet")))
        assert.deepStrictEqual([row["pnl"], row["vol"]], [sum.pnl / 1e6, sum.usd / 1e6])
      })
      const active = [...sums.values()].filter(({ pnl, usd }) => pnl !== 0 || usd !== 0)
      assert.lengthOf(rows, active.length)
    }
  }

  it("ranks realized PnL and volume by period and category", () => {
    check("timePeriod=DAY", sim.now() - day, everything)
    check("timePeriod=ALL", 0, everything)
    check("timePeriod=ALL&category=SPORTS", 0, ({ event }) => event.plan.category === "sports")
    check("timePeriod=WEEK&category=CRYPTO", sim.now() - 7 * day, ({ event }) => event.plan.category === "crypto")
    assert.lengthOf(list("/v1/leaderboard"), 25)
  })

  it("an incrementally updated board equals a freshly built one", () => {
    sim.setRate(0.2)
    sim.advance(2 * 3_600_000)
    check("timePeriod=DAY", sim.now() - day, everything)
    check("timePeriod=ALL", 0, everything)
    const target = "/v1/leaderboard?timePeriod=DAY&limit=50"
    const fresh = dataService(sim)({
      method: "GET",
      path: "/v1/leaderboard",
      query: new URL(target, "http://data").searchParams,
      target,
      headers: {},
      body: "",
    })
    assert.deepStrictEqual(JSON.parse(fresh.body), list(target))
  })

  it("finds a user by address or name", () => {
    const named = defined(
      wallets.find(({ name, index }) => name !== undefined && facts.fillsByMaker.newest(index) >= 0),
    )
    const rows = whole("timePeriod=ALL")
    const row = defined(rows.find(({ proxyWallet }) => proxyWallet === named.address))
    assert.deepStrictEqual(list(`/v1/leaderboard?timePeriod=ALL&user=${named.address}`), [row])
    assert.deepStrictEqual(list(`/v1/leaderboard?timePeriod=ALL&userName=${named.name}`), [row])
    assert.deepStrictEqual(list(`/v1/leaderboard?user=0x${"1".repeat(40)}`), [])
  })

  it("v2 counts volume in shares and returns both ranks of a user", () => {
    const sums = sumsSince(0, everything)
    const rows = crawl("/v2/leaderboard?time_period=all&sort_by=volume&limit=30")
    rows.forEach((row, index) => {
      assert.strictEqual(row["rank"], index + 1)
      assert.strictEqual(row["volume"], defined(sums.get(textIn(row, "user_id"))).shares / 1e6)
    })
    assert.lengthOf(rows, whole("timePeriod=ALL").length)
    const { data } = one(`/v2/leaderboard?time_period=all&user=${maker.address}`)
    const own = data as Json
    assert.strictEqual(own["rank_volume"], defined(rows.find(({ user_id }) => user_id === maker.address))["rank"])
    const first = defined(list(`/v1/leaderboard?timePeriod=ALL&user=${maker.address}`)[0])
    assert.strictEqual(String(own["rank_pnl"]), first["rank"])
    assert.include(one(`/v2/leaderboard?user=0x${"1".repeat(40)}`)["data"] as Json, { rank_pnl: null, volume: 0 })
  })
})

describe("data builder routes", () => {
  it("totals add up the trades of each builder", () => {
    const { builders } = sim.model
    const sums = builders.map(() => ({ usd: 0, shares: 0, users: new Set<number>() }))
    for (let fill = 0; fill < facts.fills; fill++) {
      const builder = facts.builder.get(fill) - 1
      if (builder < 0 || facts.txOf(fill) >= end()) continue
      const sum = defined(sums[builder])
      sum.usd += facts.usd.get(fill)
      sum.shares += facts.shares.get(fill)
      sum.users.add(facts.maker.get(fill))
    }
    const rows = list("/v1/builders/leaderboard?timePeriod=ALL")
    const volumes = sums.map(({ usd }) => usd / 1e6).sort((a, b) => b - a)
    assert.deepStrictEqual(
      rows.map(({ volume }) => volume),
      volumes,
    )
    const second = page("/v2/builders/leaderboard?time_period=all").data
    assert.lengthOf(second, builders.length)
    for (const row of second) {
      const sum = defined(sums[builders.findIndex(({ code }) => code === row["builder_code"])])
      assert.deepStrictEqual([row["volume"], row["active_users"]], [sum.shares / 1e6, sum.users.size])
    }
    assert.deepStrictEqual(Object.keys(defined(rows[0])), [
      "rank",
      "builder",
      "volume",
      "activeUsers",
      "verified",
      "builderLogo",
    ])
    const days = list("/v1/builders/volume?timePeriod=ALL")
    const total = (each: List) => Math.round(each.reduce((sum, row) => sum + numberIn(row, "volume") * 1e6, 0))
    assert.strictEqual(total(days), total(rows))
    for (const row of days) assert.match(textIn(row, "dt"), /^\d{4}-\d\d-\d\dT00:00:00Z$/)
    assert.isAbove(list("/v1/builders/leaderboard").length, 0)
    assert.isBelow(total(list("/v1/builders/leaderboard")), total(rows))
  })
})
