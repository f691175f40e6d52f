import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { uncountedRange } from "#src/rollups/progress.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { addedFigures, attributedSql, figures, fillsIn, sums } from "./routedSql.ts"

/** Figures of each builder on each day of attributed fills; without users. */
export const daysOf = (sql: SqlClient, attributed: Fragment): Fragment =>
  sql`select ${sql.literal(figures)}, builder, day from ${attributed} f group by builder, day`

/** The wallets that used each builder, and every builder together, of attributed fills. */
export const usersOf = (sql: SqlClient, attributed: Fragment): Fragment => sql`
  select total(usd) as usd, total(fee) as fees, builder, wallet, count(*)::int as fills, min(at) as first_at,
    max(at) as last_at
  from ${attributed} f where builder <> 0 group by builder, wallet`

const added = (table: string) =>
  [
    ...sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`),
    `first_at = least(${table}.first_at, excluded.first_at)`,
    `last_at = greatest(${table}.last_at, excluded.last_at)`,
    `users = ${table}.users + excluded.users`,
  ].join(", ")

const columns = `${sums.join(", ")}, first_at, last_at`

/**
 * Adds some blocks to their days, to the wallets of each builder and to its totals, in one statement that reads them once. A
 * day may have other blocks already, earlier or later ones.
 */
const add = (sql: SqlClient, range: BlockRange) => sql`
  with attributed as materialized (${attributedSql(sql, fillsIn(sql, range))}),
  days as materialized (${daysOf(sql, sql`attributed`)}),
  newly_used as (
    insert into builder_day_user (builder, day, wallet)
    select distinct builder, day, wallet from attributed where builder <> 0
    on conflict do nothing returning builder, day),
  added_days as (
    insert into builder_day as d (${sql.literal(columns)}, builder, day, users)
    select ${sql.literal(columns)}, c.builder, c.day, coalesce(u.users, 0)
    from days c
    left join (select builder, day, count(*)::int as users from newly_used group by builder, day) u using (builder, day)
    on conflict (builder, day) do update set ${sql.literal(added("d"))}),
  used as (
    insert into builder_user as u (usd, fees, builder, wallet, fills, first_at, last_at) ${usersOf(sql, sql`attributed`)}
    on conflict (builder, wallet) do update set usd = u.usd + excluded.usd, fees = u.fees + excluded.fees,
      fills = u.fills + excluded.fills, first_at = least(u.first_at, excluded.first_at),
      last_at = greatest(u.last_at, excluded.last_at)
    returning builder, xmax = 0 as is_new)
  insert into builder_total as t (${sql.literal(columns)}, builder, users)
  select ${sql.literal(columns)}, c.builder, coalesce(u.users, 0)
  from (select ${sql.literal(addedFigures)}, builder from days group by builder) c
  left join (select builder, (count(*) filter (where is_new))::int as users from used group by builder) u using (builder)
  on conflict (builder) do update set ${sql.literal(added("t"))}`

/** Counts the fills of some blocks, which must border on the counted ones. */
export const count = Effect.fnUntraced(function* (sql: SqlClient, range: BlockRange) {
  yield* add(sql, range)
  yield* sql`
    update builder_progress set from_block = least(from_block, ${range.from}), to_block = greatest(to_block, ${range.to})`
  // Subqueries that run once: joined to the rows, the ends were looked up again for each.
  yield* sql`
    delete from builder_day_user
    where day > (select min(day) from builder_day_user) and day < (select max(day) from builder_day_user)`
})

/** The next blocks to count; undefined if none. */
export const nextRange = Effect.fnUntraced(function* (sql: SqlClient, reorgDepth: number, most?: number) {
  yield* sql`
    insert into builder_progress (from_block, to_block)
    select coalesce(v.facts_from, c.started_from), coalesce(v.facts_from, c.started_from) - 1
    from chain_cursor c left join ledger_coverage v on true on conflict (single) do nothing`
  return yield* uncountedRange(sql, "builder_progress", reorgDepth, most)
})

/**
 * Forgets what was counted of the facts that the ledger has, because they changed. Days of facts that were dropped stay:
 * months are dropped as a whole. The users of dropped facts are then no longer known.
 */
export const resetBuilders = Effect.fnUntraced(function* (sql: SqlClient) {
  for (const table of [
    "builder_progress",
    "builder_window_progress",
    "builder_window",
    "builder_day_user",
    "builder_user",
    "builder_total",
  ]) {
    yield* sql`delete from ${sql(table)}`
  }
  yield* sql`
    delete from builder_day where day >= coalesce((
      select extract(epoch from b.at)::int / 86400 from ledger_coverage v
      join block b on b.number >= v.dropped_before order by b.number limit 1), 0)`
  yield* sql`
    insert into builder_total (${sql.literal(columns)}, builder, users)
    select ${sql.literal(addedFigures)}, builder, 0 from builder_day group by builder`
})
