import type { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * Every change of somebody's shares, from the facts of the ledger: what the rules of profit and loss do to shares, in SQL,
 * so that of everything that happens only the moves of those wallets are read that somebody asks about.
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

/** Its columns: kind, block, log_index, sub (of a transfer), part (of one fact), at, tx, wallet, token, delta. */
export const movesOf = (sql: SqlClient) => sql.literal(`(${moves})`)
