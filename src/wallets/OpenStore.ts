import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { shareChangesWhere } from "#src/ledger/shareChanges.ts"
import { isStatementTimeout } from "#src/platform/sql/sqlFailure.ts"
import type { Within } from "#src/positions/sums/model.ts"
import { isWithin } from "#src/positions/sums/scopeSql.ts"

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

/** Facts that one answer adds up at most. */
const mostAdded = 100_000

/**
 * How many positions were open just before a second. A position that has not changed since is as it was. The facts of the
 * others are added up if their outcome was not decided before. These are few, because markets come and go. Undefined if
 * positions do not cover the second, if older facts were dropped or are not counted yet, or if too many facts would be read.
 * Days of tokens tell the number of trades without reading them.
 */
const openBefore = (sql: SqlClient, wallet: number | undefined, within: Within, second: number, most: number) => {
  const [id, time] = [wallet ?? nobody, sql`to_timestamp(${second})`]
  const block = sql.literal("(select block from until)")
  const day = Math.floor((second - 1) / daySeconds)
  const [tokens, conditions] = [
    sql.literal("any(array(select token from moved))"),
    sql.literal("any(array(select distinct condition from moved))"),
  ]
  /** The number of facts, as far as it matters. */
  const count = (table: string, where: Fragment) => sql`
    (select count(*) from (select from ${sql(table)} where at < ${time} and ${where} limit ${most + 1}) c)`
  const ofCondition = sql`wallet = ${id} and condition = ${conditions}`
  return read(
    sql,
    sql`
      with until as materialized (
        select coalesce((
          select number from block where at < ${time} order by at desc, number desc limit 1), -1) as block),
      known as materialized (
        select g.to_block from rollup_progress g
        where not exists (select from fill where block < g.from_block)
          and not exists (select from ledger_coverage where dropped_before > ${block})
          and not exists (
            select from chain_cursor c join ledger_coverage v on c.started_from > greatest(v.venue_from, ${block}))),
      undecided as materialized (
        select p.token, p.shares, t.condition, p.changed_at >= ${time} as moved
        from position p join token t on t.id = p.token
        where p.wallet = ${id} and not p.partial and (t.resolved_at is null or t.resolved_at >= ${time})
          and ${isWithin(sql, within, "p.token")}),
      moved as materialized (select token, condition from undecided where moved),
      to_add as materialized (
        select coalesce((select sum(d.trades) from moved m join token_day d using (token) where d.day <= ${day}::int), 0)
          + (select count(*) from (
              select from fill where maker = ${id} and block > (select to_block from known) and block <= ${block}
              limit ${most + 1}) c)
          + ${count("split", ofCondition)} + ${count("merge", ofCondition)} + ${count("redemption", ofCondition)}
          + ${count("stock_change", sql`wallet = ${id} and token = ${tokens}`)}
          + ${count("fee_refund", sql`wallet = ${id}`)} + ${count("conversion", sql`wallet = ${id}`)}
          + ${count("transfer", sql`sender = ${id}`)} + ${count("transfer", sql`receiver = ${id}`)} as facts
        where exists (select from moved)),
      is_known as materialized (
        select exists (select from known) and coalesce((select facts from to_add), 0) <= ${most} as yes),
      changed as (
        select token, shares from (${shareChangesWhere(sql, {
          fill: sql`maker = ${id} and at < ${second} and token = ${tokens} and (select yes from is_known)`,
          ofToken: sql`at < ${time} and token = ${tokens}`,
          ofCondition: sql`at < ${time} and condition = ${conditions}`,
          conversion: sql`at < ${time}`,
        })}) c where c.wallet = ${id} and (select yes from is_known)
        union all
        select b.token, b.shares from position_base b
        where b.wallet = ${id} and exists (select from ledger_coverage where dropped_before is not null)),
      held as (
        select c.token from changed c join moved m on m.token = c.token group by c.token having sum(c.shares) > 0)
      select case when (select yes from is_known) then
        ((select count(*) from undecided where not moved and shares > 0) + (select count(*) from held))::int end as open`,
  )
}

/**
 * Positions that were open just before a second, or are now; undefined if that is unknown or takes too long. Call it in a
 * transaction, which goes on either way.
 */
export const openAt = (
  sql: SqlClient,
  wallet: number | undefined,
  within: Within,
  second: number | undefined,
  most = mostAdded,
) =>
  second === undefined
    ? openNow(sql, wallet, within)
    : openBefore(sql, wallet, within, second, most).pipe(
        sql.withTransaction,
        Effect.catchIf(isStatementTimeout, () => Effect.succeed(undefined)),
      )
