import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/** What a board counts of a position, besides whether it is open. */
const counted = ["realized", "profit", "wins", "losses", "volume", "shares", "cost"] as const

export const countedOf = (row: string): string => counted.map((name) => `${row}.${name}`).join(", ")

/** Says of positions (wallet, token and what is counted) that were so at this block whether they were open then. */
export const withOpen = (sql: SqlClient, positions: Fragment, block: number): Fragment => sql`
  select i.wallet, i.token, ${sql.literal(countedOf("i"))}, i.shares > 0 and r.condition is null as open
  from (${positions}) i
  left join token t on t.id = i.token
  left join resolution r on r.condition = t.condition and r.block <= ${block}`

/** The pairs of wallet and token that these blocks touched, as they were before; without shares if they were not there. */
export const before = (sql: SqlClient, after: number, upTo: number): Fragment => sql`
  select distinct on (u.wallet, u.token) u.wallet, u.token, ${sql.literal(countedOf("u"))}
  from position_undo u where u.block > ${after} and u.block <= ${upTo} order by u.wallet, u.token, u.block`

const noBlock = 2_147_483_647

/** These pairs of wallet and token as they were at a block, where they were there. */
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
