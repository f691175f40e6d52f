import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { priceSql, tradePriceSql } from "#src/ledger/positions/price.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { type CountState, lockState, wantedStarts } from "./CountStore.ts"
import { changesSql } from "./changesSql.ts"
import type { Edges } from "./edges.ts"
import { countColumns, statuses } from "./model.ts"

const described = [
  "liquidity",
  "created_at",
  "ends_at",
  "event",
  "price",
  "price_change_24h",
  "markets",
  "status",
  "neg_risk",
  "category",
  "tags",
]
const figureColumns = [...countColumns, ...described]

const status = (name: (typeof statuses)[number]) => statuses.indexOf(name)
/** Some markets of the venue end thousands of years from now. */
const seconds = (time: string) =>
  `case when ${time} is not null then least(floor(extract(epoch from ${time})), 2147483647)::int end`

const counted = (otherwise: string) =>
  countColumns.map((column) => `coalesce(c.${column}, ${otherwise}) + coalesce(o.${column}, 0) as ${column}`).join(", ")

/** The price of the first outcome at a time of the past: the payout, else the newest trade. */
const earlierPrice = (second: number) => `
  case when k.resolved_at <= to_timestamp(${second}) then k.payout else (
    select ${tradePriceSql("past.usd", "past.shares")} from fill past
    where past.token = k.id and past.shares > 0 and past.at <= ${second}
    order by past.at desc, past.block desc, past.log_index desc limit 1) end`

/** A condition that is listed twice has its newest market. The other name of a condition is no market of its own. */
const marketFigures = (at: number) => `
  select s.scope, ${counted("0")}, m.liquidity, ${seconds("coalesce(m.created_at, m.first_seen_at)")} as created_at,
    ${seconds("m.ends_at")} as ends_at, m.event, now.price, now.price - earlier.price as price_change_24h,
    null::int as markets,
    case when exists (select from resolution r where r.condition = s.scope) then ${status("resolved")}
      when m.closed then ${status("closed")} else ${status("open")} end as status,
    m.neg_risk, e.category, e.tags
  from touched s
  left join market_count c using (scope)
  left join change o using (scope)
  left join lateral (select * from token k where k.condition = s.scope and k.outcome = 0 limit 1) k on true
  left join lateral (select * from market m where m.condition = s.scope order by m.id desc limit 1) m on true
  left join event e on e.id = m.event
  left join lateral (select ${priceSql("k")} as price) now on true
  left join lateral (select ${earlierPrice(at - 86_400)} as price) earlier on true
  where s.scope > 0 and not exists (select from condition_rename r where r.condition = s.scope)`

const eventFigures = (hasEvents: boolean) => `
  select s.scope, ${counted(hasEvents ? "0" : "null")}, e.liquidity,
    ${seconds("coalesce(e.created_at, e.first_seen_at)")} as created_at, ${seconds("e.ends_at")} as ends_at,
    null::int, null::int, null::int, members.markets,
    case when members.markets > 0 and members.resolved then ${status("resolved")}
      when e.closed then ${status("closed")} else ${status("open")} end as status,
    e.neg_risk, e.category, e.tags
  from touched s
  join event e on e.id = -s.scope
  left join market_count c using (scope)
  left join change o using (scope)
  cross join lateral (
    select count(distinct k.condition)::int as markets, coalesce(bool_and(k.resolved_at is not null), false) as resolved
    from token k where k.event = e.id) members
  where s.scope < 0`

interface Head {
  readonly block: number
  readonly at: Date
  readonly seq: bigint
}

interface Shown {
  readonly version: bigint
  readonly starts: ReadonlyArray<number>
  readonly complete: boolean
  readonly took_millis: number
  readonly refreshed_at: Date
}

/** While history is read behind the head, many figures change: a refresh waits this many times its length for the next. */
const pauseFactor = 10

const write = Effect.fnUntraced(function* (
  sql: SqlClient,
  state: CountState,
  head: Head,
  after: Edges,
  shown: Shown | undefined,
) {
  const columns = figureColumns.join(", ")
  const version = (shown?.version ?? 0n) + 1n
  const at = Math.floor(head.at.getTime() / 1000)
  const [start = 0, end = 0] = [shown?.starts[1], after.starts[1]]
  const of = (alias: string) => figureColumns.map((column) => `${alias}.${column}`).join(", ")
  yield* sql`
    with ${changesSql(sql, { before: state, after, withEvents: state.hasEvents })},
    stale as (delete from market_stale returning scope),
    touched as materialized (
      select distinct scope from (
        select scope from change
        union all select scope from stale
        union all select condition from resolution where block >= ${start} and block < ${end}) u),
    -- The newest blocks may be replaced.
    noted as (insert into market_stale select scope from change)
    insert into market_figure as f (version, scope, ${sql.literal(columns)})
    select ${version}, * from (${sql.literal(marketFigures(at))} union all ${sql.literal(eventFigures(state.hasEvents))}) n
    on conflict (scope) do update set version = excluded.version,
      ${sql.literal(figureColumns.map((column) => `${column} = excluded.${column}`).join(", "))}
    where (${sql.literal(of("f"))}) is distinct from (${sql.literal(of("excluded"))})`
  return version
})

/** Brings the figures up to the newest block; false if they are left as they are. */
export const refreshFigures = Effect.fnUntraced(function* (sql: SqlClient, reorgDepth: number) {
  const start = yield* Clock.currentTimeMillis
  yield* sql`set transaction isolation level repeatable read`
  const state = yield* lockState(sql, reorgDepth)
  const [head] = yield* sql<Head>`
    select c.block, b.at, coalesce((select max(seq) from event_log), 0)::int8 as seq
    from chain_cursor c join block b on b.number = c.block`
  if (state === undefined || head === undefined) return false
  const [shown] =
    yield* sql<Shown>`select version, starts, complete, took_millis, refreshed_at from market_figure_state`
  const pauseUntil =
    shown === undefined || shown.complete ? 0 : shown.refreshed_at.getTime() + pauseFactor * shown.took_millis
  if (start < pauseUntil) return false

  const to = Math.max(head.block, state.to)
  const wanted = yield* wantedStarts(sql, { from: state.from, to })
  const after = { from: state.from, to, starts: state.starts.map((first, i) => Math.max(first, wanted[i] ?? first)) }
  const isComplete =
    state.hasEvents && state.from <= state.factsFrom && after.starts.every((first, i) => first === wanted[i])
  const version = yield* write(sql, state, head, after, shown)
  const now = yield* Clock.currentTimeMillis
  yield* sql`
    insert into market_figure_state (version, seq, block, at, starts, complete, refreshed_at, took_millis)
    values (${version}, ${head.seq}, ${head.block}, ${head.at}, ${pgArray("int4", after.starts)}, ${isComplete},
      ${new Date(now)}, ${Math.round(now - start)})
    on conflict (single) do update set version = excluded.version, seq = excluded.seq, block = excluded.block,
      at = excluded.at, starts = excluded.starts, complete = excluded.complete, refreshed_at = excluded.refreshed_at,
      took_millis = excluded.took_millis`
  return true
})

const noChange = `
  change as (select scope, ${countColumns.join(", ")} from market_count where false)`

/**
 * Scopes whose figures differ from those that a refresh would write now. A scope that something has changed since the last
 * refresh is left out, because the next refresh writes it again.
 */
export const wrongFigures = (
  sql: SqlClient,
  { at, hasEvents }: { readonly at: number; readonly hasEvents: boolean },
) => {
  const columns = (alias: string) => figureColumns.map((column) => `${alias}.${column}`).join(", ")
  return sql<{ scope: number }>`
    with ${sql.literal(noChange)},
    since as materialized (
      select least(s.block, p.to_block) as block
      from market_figure_state s cross join market_count_progress p),
    newest as materialized (
      select k.condition, k.event from token k where k.id in (
        select f.token from fill f where f.block > (select block from since) and f.at >= (
          select extract(epoch from at)::int from block where number >= (select block from since) order by number limit 1))),
    changed as materialized (
      select scope from market_stale union select scope from market_recount union select condition from newest
      union select -event from newest),
    touched as materialized (
      select scope from (select id as scope from condition union all select -id from event) s
      where scope not in (select scope from changed where scope is not null)),
    expected as materialized (
      ${sql.literal(marketFigures(at))} union all ${sql.literal(eventFigures(hasEvents))}),
    shown as (select * from market_figure where scope in (select scope from touched))
    select scope from expected e full join shown f using (scope)
    where (${sql.literal(columns("e"))}) is distinct from (${sql.literal(columns("f"))}) order by scope`
}

/** Whether figures were never counted. */
export const isAwaited = (sql: SqlClient) =>
  Effect.map(
    sql<{ awaited: boolean }>`select not exists (select from market_figure_state) as awaited`,
    ([row]) => row?.awaited === true,
  )
