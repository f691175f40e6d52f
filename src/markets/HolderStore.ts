import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Price, Shares, Usdc } from "#src/domain/amounts.ts"
import { bytesOfCondition } from "#src/domain/ConditionId.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { outcomeName } from "#src/feed/combos/comboNames.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { priceSql, worthSql } from "#src/ledger/positions/price.ts"
import { marketJoin } from "#src/positions/positionSql.ts"
import type { Read } from "./MarketStore.ts"

/** What a wallet holds of an outcome. Amounts are integers of 10⁻⁶. */
export interface Holder {
  readonly token: string
  readonly outcomeIndex: number | null
  readonly outcome: string | null
  readonly rank: number
  readonly wallet: string
  readonly shares: Shares<bigint>
  /** The shares at the price; both are null if there is no price. */
  readonly value: Usdc<bigint> | null
  readonly price: Price | null
}

export interface TopHolders {
  readonly holders: ReadonlyArray<Holder>
  /** Whether an outcome has more. */
  readonly hasMore: boolean
}

interface Row extends AsOfRow {
  readonly token: string | null
  readonly outcome: number | null
  readonly outcomes: ReadonlyArray<string> | null
  readonly rank: number
  readonly wallet: string
  readonly shares: Shares<bigint>
  readonly price: Price | null
  readonly value: Usdc<bigint> | null
}

const holderOf = (row: Row, token: string): Holder => ({
  token: tokenOfHex(token),
  outcomeIndex: row.outcome,
  outcome: outcomeName(token, row.outcomes, row.outcome),
  rank: row.rank,
  wallet: row.wallet,
  shares: row.shares,
  value: row.value,
  price: row.price,
})

/** The wallets with the most shares of each outcome of a condition; equal ones by address. */
export const readHolders = (sql: SqlClient, condition: string, limit: number) =>
  Effect.map(
    sql<Row>`
      with outcome as materialized (
        select t.id, t.hash, t.outcome, t.condition, ${sql.literal(priceSql("t"))} as price from token t
        where t.condition = (select id from condition where hash = ${bytesOfCondition(condition)})),
      held as materialized (
        select t.*, h.* from outcome t cross join lateral (
          select (row_number() over (order by p.shares desc, w.address))::int as rank, p.shares, w.address
          from (
            -- All that have as many shares as the last one, before they are put in order by address.
            select wallet, shares from position where token = t.id and shares > 0
            order by shares desc fetch first ${limit + 1} rows with ties) p
          join wallet w on w.id = p.wallet
          order by p.shares desc, w.address limit ${limit + 1}) h)
      select head.*, encode(t.hash, 'hex') as token, t.outcome, m.outcomes, t.rank,
        '0x' || encode(t.address, 'hex') as wallet, t.shares, t.price,
        ${sql.literal(worthSql("t.shares", "t.price"))} as value
      from (${sql.literal(asOfSql)}) head left join held t on true ${sql.literal(marketJoin)}
      order by t.outcome, t.id, t.rank`,
    (rows): Read<TopHolders> => ({
      found: {
        holders: rows.flatMap((row) => (row.token === null || row.rank > limit ? [] : [holderOf(row, row.token)])),
        hasMore: rows.some(({ rank }) => rank > limit),
      },
      asOf: asOfIn(rows[0]),
    }),
  )
