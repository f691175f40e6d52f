import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bytesOfToken } from "#src/domain/TokenId.ts"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { newestSecond } from "#src/ledger/newestSecond.ts"
import { tradePriceSql } from "#src/ledger/positions/price.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { HistoryWindow } from "./historyWindow.ts"

/** A price in 10⁻⁶ at a Unix second. */
export interface PricePoint {
  readonly at: number
  readonly price: number
}

export interface HistoryToken {
  readonly token: string
  readonly market: number
  readonly outcome: number
}

interface Row {
  readonly number: number
  readonly at: number
  readonly price: number
}

/**
 * The price of tokens at each time of the window: of the newest trade or, if that is later, the recorded price of the
 * catalogue. One look into an index per point, however many trades there are.
 */
export const readPoints = (sql: SqlClient, tokens: ReadonlyArray<HistoryToken>, { from, to, step }: HistoryWindow) =>
  Effect.map(
    sql<Row>`
      select n.number::int, b.at, coalesce(case when h.at > f.at then h.price end, f.price, h.price) as price
      from unnest(${pgArray("bytea", tokens, ({ token }) => bytesOfToken(token))},
        ${pgArray("int4", tokens, ({ market }) => market)}, ${pgArray("int4", tokens, ({ outcome }) => outcome)})
        with ordinality n(hash, market, outcome, number)
      left join token t on t.hash = n.hash
      cross join generate_series(${from}::int, ${to}::int, ${step}::int) b(at)
      left join lateral (
        select f.at, ${sql.literal(tradePriceSql("f.usd", "f.shares"))} as price from fill f
        where f.token = t.id and f.at <= b.at and f.shares > 0
        order by f.at desc, f.block desc, f.log_index desc limit 1) f on true
      left join lateral (
        select extract(epoch from h.at)::int as at, (h.prices ->> n.outcome)::int as price from market_history h
        where h.market = n.market and h.at <= to_timestamp(b.at) order by h.at desc limit 1) h on true
      where coalesce(f.price, h.price) is not null
      order by n.number, b.at`,
    (rows) => {
      const points = tokens.map((): Array<PricePoint> => [])
      for (const { number, at, price } of rows) points[number - 1]?.push({ at, price })
      return points
    },
  )

/** The newest block is a little old even when the ledger follows the chain. */
const usualLag = 120

/** Whether the ledger has all trades of these seconds. */
export const covers = (sql: SqlClient, from: number, to: number) =>
  Effect.gen(function* () {
    const coverage = yield* CoverageStore.read(sql)
    const newest = yield* newestSecond(sql)
    if (coverage === undefined || newest === undefined || newest < to - usualLag) return false
    return coverage.facts.isComplete || coverage.facts.at <= from * 1000
  })
