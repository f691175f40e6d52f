import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { shareChangesWhere } from "#src/ledger/shareChanges.ts"
import type { Within } from "./model.ts"
import { isWithin } from "./scopeSql.ts"

const daySeconds = 86_400
/** An id that no wallet has. */
const nobody = -1

const read = (sql: SqlClient, counted: Fragment) =>
  Effect.map(sql<{ readonly open: number | null }>`${counted}`, ([row]) => row?.open ?? undefined)

/** Positions of known cost with shares of an outcome that is not decided, as summaries count them. */
const openNow = (sql: SqlClient, wallet: number | undefined, within: Within) =>
  read(
    sql,
    sql`
      select count(*)::int as open from position p join token t on t.id = p.token and t.resolved_at is null
      where p.wallet = ${wallet ?? nobody} and p.shares > 0 and not p.partial and ${isWithin(sql, within, "p.token")}`,
  )

/** Trades that one answer adds up at most. */
const mostTrades = 100_000

/**
 * As many as were open just before a second. A position that has not changed since is as it was. Of the others only those can
 * have been open whose outcome was decided later and which had been traded or otherwise acquired before: few, because markets
 * come and go. Their facts are added up. Undefined if older facts were dropped or are not counted yet, or if too many trades
 * would have to be read, which the days of tokens tell before.
 */
const openBefore = (sql: SqlClient, wallet: number | undefined, within: Within, second: number) => {
  const [id, time] = [wallet ?? nobody, sql`to_timestamp(${second})`]
  const block = sql.literal("(select block from until)")
  const day = Math.floor((second - 1) / daySeconds)
  return read(
    sql,
    sql`
      with until as materialized (
        select coalesce((
          select number from block where at < ${time} order by at desc, number desc limit 1), -1) as block),
      known as materialized (
        select g.to_block from rollup_progress g
        where not exists (select from fill where block < g.from_block)
          and not exists (select from ledger_coverage where dropped_before > ${block})),
      undecided as materialized (
        select p.token, p.shares, p.changed_at >= ${time} as moved
        from position p join token t on t.id = p.token
        where p.wallet = ${id} and not p.partial and (t.resolved_at is null or t.resolved_at >= ${time})
          and ${isWithin(sql, within, "p.token")}),
      traded as materialized (
        select d.token, sum(d.trades) as trades from undecided u join token_day d on d.token = u.token
        where u.moved and d.day <= ${day}::int group by d.token
        union all
        select token, count(*) from fill
        where maker = ${id} and block > (select to_block from known) and block <= ${block} group by token),
      is_known as materialized (
        select exists (select from known) and (select coalesce(sum(trades), 0) from traded) <= ${mostTrades} as yes),
      changed as (
        select token, shares from (${shareChangesWhere(
          sql,
          sql`maker = ${id} and at < ${second}
            and token = any(array(select distinct token from traded where (select yes from is_known)))`,
          sql`at < ${time}`,
        )}) c where c.wallet = ${id} and (select yes from is_known)
        union all
        select b.token, b.shares from position_base b
        where b.wallet = ${id} and exists (select from ledger_coverage where dropped_before is not null)),
      held as (
        select c.token from changed c join undecided u on u.token = c.token and u.moved
        group by c.token having sum(c.shares) > 0)
      select case when (select yes from is_known) then
        ((select count(*) from undecided where not moved and shares > 0) + (select count(*) from held))::int end as open`,
  )
}

/** Positions that were open just before a second, or are now. */
export const openAt = (sql: SqlClient, wallet: number | undefined, within: Within, second: number | undefined) =>
  second === undefined ? openNow(sql, wallet, within) : openBefore(sql, wallet, within, second)
