import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/** Events that one transaction counts, and a few more of the same block. */
const mostEvents = 100_000

/** What each wallet realized on each day, in the events of blocks up to `to`, except those up to `after`. */
export const realizedDays = (sql: SqlClient, after: number, to: number): Fragment => sql`
  select wallet, extract(epoch from at)::int / 86400 as day, total(amount) as realized,
    total(greatest(amount, 0)) as profit, (count(*) filter (where amount > 0))::int as wins,
    (count(*) filter (where amount < 0))::int as losses, count(*)::int as events
  from realized_event where block > ${after} and block <= ${to} group by 1, 2`

/** Counts the events of some more blocks that can no longer be replaced; false if there are none. */
export const countWalletDays = Effect.fnUntraced(function* (sql: SqlClient, reorgDepth: number, most = mostEvents) {
  const [state] = yield* sql<{ counted: number; settled: number }>`
    select coalesce(p.to_block, 0) as counted, c.block - ${reorgDepth}::int as settled
    from chain_cursor c left join wallet_day_progress p on true`
  if (state === undefined || state.counted >= state.settled) return false
  const { counted, settled } = state
  const [last] = yield* sql<{ block: number }>`
    select block from realized_event where block > ${counted} and block <= ${settled} order by block offset ${most} limit 1`
  const to = last?.block ?? settled
  yield* sql`
    insert into wallet_day as d (wallet, day, realized, profit, wins, losses, events)
    ${realizedDays(sql, counted, to)}
    on conflict (wallet, day) do update set realized = d.realized + excluded.realized, profit = d.profit + excluded.profit,
      wins = d.wins + excluded.wins, losses = d.losses + excluded.losses, events = d.events + excluded.events`
  yield* sql`
    insert into wallet_day_progress (to_block) values (${to})
    on conflict (single) do update set to_block = excluded.to_block`
  return true
})

/** Forgets what was counted, because realized events were computed again. */
export const resetWalletDays = (sql: SqlClient) =>
  Effect.andThen(sql`delete from wallet_day_progress`, sql`delete from wallet_day`)

/** The first day that is not counted as a whole; all of its events and later ones are in `realized_event` alone. */
export const firstUncountedDay = `coalesce((
  select extract(epoch from b.at)::int / 86400 from wallet_day_progress p join block b on b.number <= p.to_block
  order by b.number desc limit 1), 0)`
