import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/** Every change of a position has a row in one of these tables; a resolution has a gain or loss for each holder. */
const changing = [
  "fill",
  "split",
  "merge",
  "redemption",
  "conversion",
  "transfer",
  "fee_refund",
  "stock_change",
  "realized_event",
]

/**
 * A row if the ledger can no longer restore all positions before these blocks. A backfill writes no undo records, and undo
 * records are dropped once their block is final.
 */
export const uncovered = (sql: SqlClient, after: number | Fragment, upTo: number | Fragment): Fragment => {
  const blocks = changing.map(
    (table) => sql`
      (select distinct c.block from ${sql(table)} c where c.block > ${after} and c.block <= ${upTo}
      ${table === "redemption" ? sql`and cardinality(c.tokens) > 0` : sql``} order by c.block)`,
  )
  return sql`
    select 1 from (${sql.join(" union all ", false)(blocks)}) c
    where not exists (select 1 from position_undo u where u.block = c.block) limit 1`
}

/** Whether all of them can be restored. */
export const isCovered = (sql: SqlClient, after: number, upTo: number) =>
  Effect.map(sql`${uncovered(sql, after, upTo)}`, (missing) => missing.length === 0)

/** What a board counts of a position, besides whether it is open. */
const counted = ["realized", "profit", "wins", "losses", "volume", "shares", "cost", "partial"] as const

export const countedOf = (row: string): string => counted.map((name) => `${row}.${name}`).join(", ")

/** Adds to positions as of this block whether they were open then. Of partial ones the cost and so the gain is unknown. */
export const withOpen = (sql: SqlClient, positions: Fragment, block: number): Fragment => sql`
  select i.wallet, i.token, ${sql.literal(countedOf("i"))}, i.shares > 0 and not i.partial and r.condition is null as open
  from (${positions}) i
  left join token t on t.id = i.token
  left join resolution r on r.condition = t.condition and r.block <= ${block}`

/** Positions that these blocks touched, as they were before; with zero shares if they did not exist. */
export const before = (sql: SqlClient, after: number, upTo: number): Fragment => sql`
  select distinct on (u.wallet, u.token) u.wallet, u.token, ${sql.literal(countedOf("u"))}
  from position_undo u where u.block > ${after} and u.block <= ${upTo} order by u.wallet, u.token, u.block`

const noBlock = 2_147_483_647

/** These positions as of a block, where they existed. */
export const asOf = (sql: SqlClient, block: number, pairs: Fragment): Fragment =>
  withOpen(
    sql,
    sql`
      select p.wallet, p.token,
        ${sql.literal(counted.map((name) => `case when l.wallet is null then n.${name} else l.${name} end as ${name}`).join(", "))}
      from (${pairs}) p
      left join (${before(sql, block, noBlock)}) l on l.wallet = p.wallet and l.token = p.token
      left join position n on n.wallet = p.wallet and n.token = p.token
      where case when l.wallet is null then n.shares else l.shares end is not null`,
    block,
  )
