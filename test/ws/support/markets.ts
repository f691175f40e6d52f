import { Effect } from "effect"
import type { NewEvent } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

export const conditionOf = (market: number) => `0x${(2n ** 250n + BigInt(market)).toString(16).padStart(64, "0")}`
export const tokenOf = (market: number, outcome = 0) => (2n ** 255n + BigInt(market * 2 + outcome)).toString()

const hexOf = (token: string) => BigInt(token).toString(16).padStart(64, "0")

/** Adds markets with two tokens each, named market-1 and so on. Returns a function that makes a price change event. */
export const listMarkets = Effect.fnUntraced(function* (count: number) {
  const { sql } = yield* Postgres
  const ids = new Map<string, number>()
  for (let market = 1; market <= count; market++) {
    const [condition] = yield* sql<{ id: number }>`
      insert into condition (hash) values (decode(${conditionOf(market).slice(2)}, 'hex')) returning id`
    for (const outcome of [0, 1]) {
      const token = tokenOf(market, outcome)
      const [row] = yield* sql<{ id: number }>`
        insert into token (hash, condition, outcome)
        values (decode(${hexOf(token)}, 'hex'), ${condition?.id ?? 0}, ${outcome}::smallint) returning id`
      ids.set(token, row?.id ?? 0)
    }
    yield* sql`
      insert into market (id, condition, tokens, slug, question, outcomes, prices, active, closed, archived,
        accepting_orders, neg_risk)
      values (${market}, ${condition?.id ?? 0}, '[]', ${`market-${market}`}, 'Will it happen?', '["Yes", "No"]', '[]', true,
        false, false, true, false)`
  }
  return (market: number, outcome = 0): NewEvent => ({
    kind: "price_change",
    ref: BigInt(ids.get(tokenOf(market, outcome)) ?? 0),
    data: { bid: 490_000, ask: 510_000, mid: 500_000, previous: 400_000 },
  })
})
