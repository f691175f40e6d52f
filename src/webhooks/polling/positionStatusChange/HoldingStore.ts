import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { feeInSharesSql, fillTimeSql } from "#src/dictionary/factSql.ts"
import type { Shares } from "#src/domain/amounts.ts"
import type { PositionStatus } from "#src/ledger/positions/model.ts"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"

/**
 * Every change of shares, from the facts of the ledger: the share arithmetic of profit and loss in SQL, so that only
 * the moves of watched wallets are read.
 */
const moves = `
  select 'fill'::text as kind, f.block, f.log_index, 0 as sub, 0 as part, ${fillTimeSql("f")} as at, f.maker as wallet, f.token,
    case when f.is_sale then -f.shares when ${feeInSharesSql("f")} then f.shares - f.fee else f.shares end as delta
  from fill f
  union all
  select 'split', f.block, f.log_index, 0, t.outcome::int, f.at, f.wallet, t.id, f.amount
  from split f join token t on t.condition = f.condition and t.outcome is not null
  union all
  select 'merge', f.block, f.log_index, 0, t.outcome::int, f.at, f.wallet, t.id, -f.amount
  from merge f join token t on t.condition = f.condition and t.outcome is not null
  union all
  select 'redemption', f.block, f.log_index, 0, u.part::int, f.at, f.wallet, u.token, -u.shares
  from redemption f, unnest(f.tokens, f.shares) with ordinality u(token, shares, part)
  union all
  select 'conversion', f.block, f.log_index, 0, u.part::int, f.at, f.wallet, u.token,
    case when u.part <= cardinality(f.nos) then -f.amount else f.received end
  from conversion f, unnest(f.nos || f.yeses) with ordinality u(token, part)
  union all
  select 'transfer', f.block, f.log_index, f.sub, u.part, f.at, u.wallet, f.token, u.delta
  from transfer f, lateral (values (0, f.sender, -f.shares), (1, f.receiver, f.shares)) u(part, wallet, delta)
  union all
  select 'fee_refund', f.block, f.log_index, 0, 0, f.at, f.wallet, f.token, f.amount
  from fee_refund f where f.in_shares`

/** Columns: kind, block, log_index, sub (of a transfer), part (of one fact), at, wallet, token, delta. */
export const movesOf = (sql: SqlClient) => sql.literal(`(${moves})`)

/** A wallet's position in a token, and its status. */
export interface HoldingRow {
  readonly wallet: number
  readonly token: number
  readonly shares: Shares<bigint>
  readonly status: PositionStatus
}

/** A position, and the block since which it is followed: earlier facts are already included. */
export interface Followed extends HoldingRow {
  readonly since: number
}

export type WantedHolding = Pick<Followed, "wallet" | "token" | "since">

/**
 * Positions (by dictionary ids) after a block each: the current ones less what moved since, so exact for any block. Absent
 * if there was none. Conditions of moved positions are scalar subqueries, which Postgres cannot answer by reading the
 * facts of everybody.
 */
export const holdingsAfter = (sql: SqlClient, wanted: ReadonlyArray<WantedHolding>) => {
  const given = unnest(sql, "g", wanted, {
    wallet: ["int4", ({ wallet }) => wallet],
    token: ["int4", ({ token }) => token],
    since: ["int4", ({ since }) => since],
  })
  const wallets = pgArray("int4", new Set(wanted.map(({ wallet }) => wallet)))
  const since = wanted.reduce((least, one) => Math.min(least, one.since), 2_147_483_647)
  return sql<Followed>`
    select h.wallet, h.token, h.shares, h.since,
      case
        when h.shares > 0 then case when r.block is null then 'open' else 'redeemable' end
        when h.redeemed and (not h.moved or (
          select true from redemption d where d.wallet = h.wallet and h.token = any(d.tokens) and d.block <= h.since limit 1))
          then 'redeemed'
        else 'closed'
      end as status
    from (
      select p.wallet, p.token, g.since, (p.shares - coalesce(l.delta, 0))::int8 as shares, p.redeemed,
        l.wallet is not null as moved
      from ${given} join position p using (wallet, token)
      left join (
        select m.wallet, m.token, sum(m.delta) as delta from ${movesOf(sql)} m join ${given}
          on g.wallet = m.wallet and g.token = m.token and m.block > g.since
        where m.wallet = any(${wallets}) and m.block > ${since}::int group by m.wallet, m.token) l using (wallet, token)) h
    join token t on t.id = h.token
    left join resolution r on r.condition = t.condition and r.block <= h.since
    where not h.moved or h.shares <> 0 or (
      select true from ${movesOf(sql)} e where e.wallet = h.wallet and e.token = h.token and e.block <= h.since limit 1)`
}
