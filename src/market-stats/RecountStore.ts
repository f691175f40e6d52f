import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { apply, type CountState, lockState } from "./CountStore.ts"
import { changesSql } from "./changesSql.ts"
import { noBlocks } from "./edges.ts"
import { countColumns, windows } from "./model.ts"

/** Scopes that one transaction counts again. */
const scopesPerStep = 200

const isDropped = (sql: SqlClient) =>
  sql`day < (
    select extract(epoch from b.at)::int / 86400 from ledger_coverage v
    join block b on b.number >= v.dropped_before order by b.number limit 1)`

/** What is known of facts that were dropped: their days, and traders who did not trade since. */
const addDropped = (sql: SqlClient, where: Fragment) => sql`
  insert into market_count (scope, usd_all, trades_all, traders_all)
  select scope, total(usd), total(trades), total(traders) from (
    select k.condition as scope, d.usd, d.trades, 0 as traders
    from token_day d join token k on k.id = d.token where ${isDropped(sql)} and k.condition is not null
    union all
    select scope, 0, 0, 1 from market_trader where scope > 0) k
  where ${where} group by scope`

const deleteTraders = (sql: SqlClient, where: Fragment) => sql`
  delete from market_trader where last_block >= coalesce((select dropped_before from ledger_coverage), 0) and ${where}`

/** Counts markets again from the fills of their tokens. */
const recountMarkets = Effect.fnUntraced(function* (
  sql: SqlClient,
  state: CountState,
  conditions: ReadonlyArray<number>,
) {
  const ofThem = sql`scope = any(${pgArray("int4", conditions)})`
  const tokens = sql`k.condition = any(${pgArray("int4", conditions)})`
  yield* deleteTraders(sql, ofThem)
  yield* sql`delete from market_count where ${ofThem}`
  yield* addDropped(sql, ofThem)
  const fills = sql`
    select f.* from fill f where f.block in (
      select g.block from token k join fill g on g.token = k.id
      where ${tokens} and g.block between ${state.from} and ${state.to})`
  yield* apply(sql, changesSql(sql, { before: noBlocks, after: state, fills, withEvents: false, where: tokens }))
})

/** Adds up events from their markets. */
const recountEvents = Effect.fnUntraced(function* (sql: SqlClient, state: CountState, scopes: ReadonlyArray<number>) {
  const ofThem = sql`scope = any(${pgArray("int4", scopes)})`
  const ids = pgArray(
    "int4",
    scopes.map((scope) => -scope),
  )
  const members = sql`(select distinct event, condition from token where event = any(${ids}) and condition is not null) k`
  yield* sql`delete from market_trader where ${ofThem}`
  yield* sql`delete from market_count where ${ofThem}`
  yield* sql`
    insert into market_trader (scope, wallet, last_block)
    select -k.event, t.wallet, max(t.last_block) from ${members} join market_trader t on t.scope = k.condition
    group by 1, 2`
  const added = countColumns.filter((column) => !column.startsWith("traders"))
  const traders = windows.map(
    (window, i) => `count(*) filter (where last_block >= ${state.starts[i] ?? 0}) as traders_${window}`,
  )
  yield* sql`
    insert into market_count (scope, ${sql.literal(countColumns.join(", "))})
    select c.scope, ${sql.literal(countColumns.join(", "))}
    from (
      select -k.event as scope, ${sql.literal(added.map((column) => `total(c.${column}) as ${column}`).join(", "))}
      from ${members} join market_count c on c.scope = k.condition group by 1) c
    join (
      select scope, ${sql.literal(traders.join(", "))} from market_trader where ${ofThem} group by scope) t using (scope)`
})

/** Counts some scopes again that tokens joined or left; false if there are none. */
export const recountStep = Effect.fnUntraced(function* (sql: SqlClient, reorgDepth: number) {
  const state = yield* lockState(sql, reorgDepth)
  if (state === undefined) return false
  const noted = yield* sql<{ scope: number }>`
    delete from market_recount where scope in (
      select distinct scope from market_recount order by scope desc limit ${scopesPerStep})
    returning scope`
  if (noted.length === 0) return false
  const scopes = [...new Set(noted.map(({ scope }) => scope))]
  const conditions = scopes.filter((scope) => scope > 0)
  if (conditions.length > 0) {
    yield* recountMarkets(sql, state, conditions)
    yield* sql`
      insert into market_recount
      select distinct -event from token where event is not null and condition = any(${pgArray("int4", conditions)})`
  }
  const events = scopes.filter((scope) => scope < 0)
  if (events.length > 0 && state.hasEvents) yield* recountEvents(sql, state, events)
  yield* sql`insert into market_stale select unnest(${pgArray("int4", scopes)})`
  return true
})

/** Forgets what was counted of the facts that the ledger has, because they changed. Traders of dropped facts stay. */
export const resetMarketCounts = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`delete from market_count_progress`
  yield* deleteTraders(sql, sql`scope > 0`)
  yield* sql`delete from market_trader where scope < 0`
  yield* sql`delete from market_count`
  yield* addDropped(sql, sql`true`)
  yield* sql`insert into market_stale select id from condition union all select -id from event`
})
