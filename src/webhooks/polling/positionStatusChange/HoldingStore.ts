import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { PositionStatus } from "#src/ledger/positions/model.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/**
 * Every change of shares, from the facts of the ledger: the share arithmetic of profit and loss in SQL, so that only
 * the moves of watched wallets are read.
 */
const moves = `
  select 'fill'::text as kind, f.block, f.log_index, 0 as sub, 0 as part, f.at, f.tx, f.maker as wallet, f.token,
    case when f.side = 1 then -f.shares when f.fee_in_shares then f.shares - f.fee else f.shares end as delta
  from fill f
  union all
  select 'split', f.block, f.log_index, 0, t.outcome::int, f.at, f.tx, f.wallet, t.id, f.amount
  from split f join token t on t.condition = f.condition and t.outcome is not null
  union all
  select 'merge', f.block, f.log_index, 0, t.outcome::int, f.at, f.tx, f.wallet, t.id, -f.amount
  from merge f join token t on t.condition = f.condition and t.outcome is not null
  union all
  select 'redemption', f.block, f.log_index, 0, u.part::int, f.at, f.tx, f.wallet, u.token, -u.shares
  from redemption f, unnest(f.tokens, f.shares) with ordinality u(token, shares, part)
  union all
  select 'conversion', f.block, f.log_index, 0, u.part::int, f.at, f.tx, f.wallet, u.token,
    case when u.part <= cardinality(f.nos) then -f.amount else f.amount end
  from conversion f, unnest(f.nos || f.yeses) with ordinality u(token, part)
  union all
  select 'transfer', f.block, f.log_index, f.sub, u.part, f.at, f.tx, u.wallet, f.token, u.delta
  from transfer f, lateral (values (0, f.sender, -f.shares), (1, f.receiver, f.shares)) u(part, wallet, delta)
  union all
  select 'fee_refund', f.block, f.log_index, 0, 0, f.at, f.tx, f.wallet, f.token, f.amount
  from fee_refund f where f.in_shares`

/** Columns: kind, block, log_index, sub (of a transfer), part (of one fact), at, tx, wallet, token, delta. */
export const movesOf = (sql: SqlClient) => sql.literal(`(${moves})`)

/** A wallet's position in a token, and its status. */
export interface HoldingRow {
  readonly wallet: number
  readonly token: number
  readonly shares: bigint
  readonly status: PositionStatus
}

/**
 * Positions of wallets (by dictionary id) after a block: the current ones less what moved since, so exact for any
 * block.
 */
export const holdingsAfter = (sql: SqlClient, wallets: ReadonlyArray<number>, block: number) => {
  const ids = pgArray("int4", wallets)
  return sql<HoldingRow>`
    select h.wallet, h.token, h.shares,
      case
        when h.shares > 0 then case when r.block is null then 'open' else 'redeemable' end
        when h.redeemed and exists (
          select 1 from redemption d where d.wallet = h.wallet and h.token = any(d.tokens) and d.block <= ${block}::int)
          then 'redeemed'
        else 'closed'
      end as status
    from (
      select p.wallet, p.token, (p.shares - coalesce(l.delta, 0))::int8 as shares, p.redeemed, l.wallet is not null as moved
      from position p left join (
        select m.wallet, m.token, sum(m.delta) as delta from ${movesOf(sql)} m
        where m.wallet = any(${ids}) and m.block > ${block}::int group by m.wallet, m.token) l using (wallet, token)
      where p.wallet = any(${ids})) h
    join token t on t.id = h.token
    left join resolution r on r.condition = t.condition and r.block <= ${block}::int
    where not h.moved or h.shares <> 0 or exists (
      select 1 from ${movesOf(sql)} e where e.wallet = h.wallet and e.token = h.token and e.block <= ${block}::int)`
}
