import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { shareChanges } from "#src/ledger/shareChanges.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"

/**
 * Adapts opening balances to facts that were added before the first block. Nobody held anything before the venue. Of pairs
 * that only the added blocks touch, the earlier balance stays unknown.
 */
export const moveOpenings = Effect.fnUntraced(function* (sql: SqlClient, added: BlockRange) {
  const [coverage] = yield* sql<{ venue_from: number }>`select venue_from from ledger_coverage`
  if (coverage === undefined || added.from <= coverage.venue_from) {
    yield* sql`delete from opening_balance`
    return
  }
  yield* sql`
    insert into opening_balance as o (wallet, token, shares)
    select c.wallet, c.token, case when p.wallet is not null then -c.shares end
    from (
      select wallet, token, sum(shares)::int8 as shares from (${shareChanges(sql, added)}) c group by wallet, token) c
      left join position p on p.wallet = c.wallet and p.token = c.token
    where p.wallet is null or c.shares <> 0
    on conflict (token, wallet) do update set shares = o.shares + excluded.shares`
  yield* sql`delete from opening_balance where shares = 0`
})
