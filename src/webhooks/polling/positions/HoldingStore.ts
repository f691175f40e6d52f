import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { PositionStatus } from "#src/ledger/positions/model.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { movesOf } from "./MoveStore.ts"

/** What a wallet holds of a token and how that stands. */
export interface HoldingRow {
  readonly wallet: number
  readonly token: number
  readonly shares: bigint
  readonly status: PositionStatus
}

/**
 * The positions of wallets (by the dictionary's numbers) as they were after a block: those of now, less what moved
 * since. So it is exact however long ago that was.
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
