import { assert, describe, it } from "@effect/vitest"
import type { Token } from "#src/simulator/world/Venue.ts"
import { defined, genesis, served } from "./clobWorld.ts"

const { sim, listed, open, get, post, tokensOf, matches, busiest, send } = served(3, "tiny")

interface Point {
  readonly t: number
  readonly p: number
}

const historyOf = (token: Token, query: string): ReadonlyArray<Point> =>
  get(`/prices-history?market=${token.id}&${query}`).history

/** The price of a token at the end of a second, derived from all trades. */
const priceAt = ({ market, index, outcome }: Token, millis: number): number => {
  const last = matches(market).findLast(({ at }) => at <= millis)
  if (last === undefined) return (outcome === 0 ? market.plan.startPrice : 1000 - market.plan.startPrice) / 1000
  return last.token === index ? last.price : 1 - last.price
}

const [first, second] = tokensOf(busiest())
const resolved = defined(listed().find((market) => market.payouts !== undefined && matches(market).length > 10))

describe("clob price history", () => {
  it("every point is the last trade price at that time, for both outcomes", () => {
    for (const token of [first, second, ...tokensOf(resolved)]) {
      const points = historyOf(token, "interval=max&fidelity=10")
      assert.isAbove(points.length, 2)
      const prices = new Set(points.map(({ p }) => p))
      assert.isAbove(prices.size, 2)
      for (const { t, p } of points.slice(0, -1)) {
        assert.strictEqual(t % 600, 0)
        assert.closeTo(p, priceAt(token, t * 1000), 1e-9, `at ${t}`)
      }
    }
  })

  it("points are in order, from market creation until now or the resolution", () => {
    const span = (token: Token) => {
      const points = historyOf(token, "interval=all&fidelity=60")
      for (const [index, { t }] of points.entries()) {
        if (index > 0) assert.isAbove(t, defined(points[index - 1]).t)
      }
      return [defined(points[0]).t * 1000, defined(points.at(-1)).t * 1000] as const
    }
    const [from, to] = span(first)
    assert.isAtLeast(from, first.market.createdAt)
    assert.isBelow(from, first.market.createdAt + 3_600_000)
    assert.strictEqual(to, sim.now())
    assert.isAtMost(span(tokensOf(resolved)[0])[1], defined(resolved.resolvedAt))
  })

  it("the last point is the last trade price", () => {
    for (const market of open().filter((_, index) => index % 40 === 0)) {
      for (const token of tokensOf(market)) {
        const last = defined(historyOf(token, "interval=1h").at(-1))
        if (matches(market).length === 0) assert.strictEqual(last.p, priceAt(token, sim.now()))
        else assert.strictEqual(last.p, Number(get(`/last-trade-price?token_id=${token.id}`).price))
      }
    }
  })

  it("the first point is the start price", () => {
    const market = defined(open().find((each) => (matches(each)[0]?.at ?? 0) - each.createdAt > 3_600_000))
    const points = historyOf(tokensOf(market)[0], "interval=max&fidelity=1")
    assert.strictEqual(defined(points[0]).p, market.plan.startPrice / 1000)
  })

  it("points cover the requested interval or window, one a minute by default", () => {
    const now = sim.now() / 1000
    const hours = { "1h": 1, "6h": 6, "1d": 24, "1w": 168 }
    for (const [interval, count] of Object.entries(hours)) {
      const points = historyOf(first, `interval=${interval}`)
      const from = Math.max(now - count * 3600, first.market.createdAt / 1000)
      assert.isTrue(points.every(({ t }) => t >= from && t <= now))
      assert.lengthOf(points, Math.floor((now - from) / 60) + 1, interval)
    }
    const [startTs, endTs] = [genesis / 1000 - 7200, genesis / 1000 - 3600]
    const points = historyOf(first, `startTs=${startTs}&endTs=${endTs}&fidelity=5`)
    assert.deepStrictEqual(
      points.map(({ t }) => t),
      Array.from({ length: 13 }, (_, index) => startTs + 300 * index),
    )
    assert.deepStrictEqual(historyOf(first, "startTs=0&endTs=10"), [])
    assert.deepStrictEqual(historyOf(first, `startTs=${now + 10}&endTs=${now + 90}`), [])
  })

  it("an unknown token has an empty history", () => {
    assert.deepStrictEqual(get("/prices-history?market=5&interval=1d"), { history: [] })
  })

  it("a batch of up to 20 tokens returns the same as single requests", () => {
    const tokens = open().slice(0, 10).flatMap(tokensOf)
    const batch = post("/batch-prices-history", {
      markets: tokens.map(({ id }) => id),
      interval: "6h",
      fidelity: 15,
    })
    assert.deepStrictEqual(
      batch.history,
      Object.fromEntries(tokens.map((token) => [token.id, historyOf(token, "interval=6h&fidelity=15")])),
    )
    const end_ts = genesis / 1000
    assert.deepStrictEqual(
      post("/batch-prices-history", { markets: [first.id], start_ts: end_ts - 600, end_ts, fidelity: 1 }).history[
        first.id
      ],
      historyOf(first, `startTs=${end_ts - 600}&endTs=${end_ts}&fidelity=1`),
    )
    const many = { markets: Array.from({ length: 21 }, () => first.id), interval: "1h" }
    assert.strictEqual(send("/batch-prices-history", "POST", JSON.stringify(many)).status, 400)
  })

  it("new trades extend the history", () => {
    sim.setRate(40)
    const before = matches(first.market).length
    for (let turn = 0; turn < 60 && matches(first.market).length === before; turn++) sim.advance(30_000)
    const newest = defined(matches(first.market).at(-1))
    assert.isAbove(matches(first.market).length, before)
    const last = defined(historyOf(first, "interval=1h").at(-1))
    assert.closeTo(last.p, newest.token === first.index ? newest.price : 1 - newest.price, 1e-9)
  })
})
