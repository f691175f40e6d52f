import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { wrongFigures } from "#src/market-stats/FigureStore.ts"
import { windows } from "#src/market-stats/model.ts"
import { tradesSql } from "#src/rollups/tradesSql.ts"
import { check, type VerifySnapshot } from "./Check.ts"

interface Counted {
  readonly from: number
  readonly to: number
  readonly starts: ReadonlyArray<number>
  readonly events: boolean
  readonly dropped: boolean
}

/** Markets and events of tokens, except those that are to be counted again. */
const members = (sql: SqlClient, { events }: Counted) => sql`
  select k.id as token, s.scope
  from token k cross join lateral (values (k.condition), (-k.event)) s(scope)
  where s.scope is not null and (s.scope > 0 or ${events}::bool) and s.scope not in (select scope from market_recount)`

/** Scopes whose figures in lists do not follow from what is counted and listed. */
const wrongInLists = Effect.fnUntraced(function* (sql: SqlClient, hasEvents: boolean) {
  const [state] = yield* sql<{ at: number }>`select extract(epoch from at)::int as at from market_figure_state`
  return state === undefined ? [] : yield* wrongFigures(sql, { at: state.at, hasEvents })
})

/**
 * What was traded of markets and events, and by whom, against the fills that it was counted from, and what lists show of
 * them against these counts.
 */
export const checkMarketStats = Effect.fnUntraced(function* ({ sql }: VerifySnapshot) {
  const [counted] = yield* sql<Counted>`
    select greatest(from_block, dropped_before) as from, to_block as to, starts, has_events as events,
      from_block < coalesce(dropped_before, 0) as dropped
    from market_count_progress left join ledger_coverage on true`
  if (counted === undefined) return check("market-stats", 0, "nothing is counted yet", "")
  const { from, to, dropped } = counted
  const fills = sql`select * from fill where block between ${from} and ${to}`
  // Facts that were dropped are only in the sums of all times.
  const starts = windows.flatMap((window, i) => {
    const start = counted.starts[i] ?? (dropped ? undefined : from)
    return start === undefined ? [] : [{ window, start }]
  })
  const each = (column: (window: string, start: number) => string) =>
    sql.literal(starts.map(({ window, start }) => column(window, start)).join(", "))
  const columns = starts.flatMap(({ window }) => [`usd_${window}`, `trades_${window}`, `traders_${window}`])
  const known = (alias: string) => sql.literal(columns.map((column) => `coalesce(${alias}.${column}, 0)`).join(", "))
  const [wrong] = yield* sql<{ pairs: number; counts: number; examples: ReadonlyArray<string> }>`
    with member as materialized (${members(sql, counted)}),
    traded as (
      select scope, ${each(
        (window, start) => `
          total(usd) filter (where block >= ${start}) as usd_${window},
          count(*) filter (where block >= ${start}) as trades_${window}`,
      )}
      from (${tradesSql(sql, fills)}) t join member using (token) group by scope),
    pair as materialized (
      select scope, maker as wallet, max(block) as last_block
      from (${fills}) f join member using (token) where shares > 0 group by 1, 2),
    trader as (
      select scope, ${each((window, start) => `count(*) filter (where last_block >= ${start}) as traders_${window}`)}
      from pair group by scope),
    kept as (
      select * from market_trader
      where last_block >= ${from} and scope not in (select scope from market_recount) and (scope > 0 or ${counted.events}::bool)),
    wrong_pair as materialized (
      select scope, wallet, p.last_block as fact, k.last_block as stored from pair p full join kept k using (scope, wallet)
      where p.last_block is distinct from k.last_block),
    wrong_count as materialized (
      select scope, (${known("e")})::text as fact, (${known("c")})::text as stored
      from (select * from traded full join trader using (scope)) e
      full join (select * from market_count where scope not in (select scope from market_recount)) c using (scope)
      where (${known("e")}) is distinct from (${known("c")}))
    select
      (select count(*)::int from wrong_pair) as pairs,
      (select count(*)::int from wrong_count) as counts,
      array(
        (select format('scope %s has %s, facts %s', scope, stored, fact) from wrong_count order by scope limit 3)
        union all
        (select format('wallet %s last traded in scope %s in block %s, facts %s', wallet, scope, stored, fact)
          from wrong_pair order by scope, wallet limit 3)) as examples`
  const { pairs, counts, examples } = wrong ?? { pairs: 0, counts: 0, examples: [] }
  const shown = yield* wrongInLists(sql, counted.events)
  return check(
    "market-stats",
    pairs + counts + shown.length,
    "volumes, trades and traders of markets and events equal those of the facts, and lists show them",
    `${counts} markets and events and ${pairs} traders differ from the facts of blocks ${from} to ${to}, such as: ${examples.join("; ") || "none"}; lists show ${shown.length} wrongly, such as scopes ${
      shown
        .slice(0, 3)
        .map(({ scope }) => scope)
        .join(", ") || "none"
    }`,
  )
})
