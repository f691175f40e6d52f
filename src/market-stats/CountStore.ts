import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { changesSql } from "./changesSql.ts"
import type { Edges } from "./edges.ts"
import { countColumns, windowSeconds } from "./model.ts"

const columns = countColumns.join(", ")

/** Fills that one transaction counts or moves, and a few more of the same block. */
const mostFills = 50_000

/** Blocks of a week. Windows further behind the chain would be moved for nothing. */
const mostBehind = 302_400

/** What is counted, and what could be. */
export interface CountState extends Edges {
  readonly hasEvents: boolean
  readonly factsFrom: number
  /** The newest block that cannot be replaced any more. */
  readonly settled: number
  readonly isBehind: boolean
}

interface StateRow {
  readonly from_block: number
  readonly to_block: number
  readonly starts: ReadonlyArray<number>
  readonly has_events: boolean
  readonly facts_from: number
  readonly settled: number
  readonly behind: boolean
}

/** Locks the progress. Undefined while the ledger is empty. */
export const lockState = Effect.fnUntraced(function* (sql: SqlClient, reorgDepth: number) {
  yield* sql`
    insert into market_count_progress (from_block, to_block, starts)
    select f.first, f.first - 1, array[f.first, f.first, f.first, f.first]
    from (select coalesce(v.facts_from, c.started_from) as first from chain_cursor c left join ledger_coverage v on true) f
    on conflict (single) do nothing`
  const [row] = yield* sql<StateRow>`
    select p.from_block, p.to_block, p.starts, p.has_events, coalesce(v.facts_from, c.started_from) as facts_from,
      c.block - ${reorgDepth}::int as settled,
      c.head - p.to_block > ${mostBehind}::int as behind
    from market_count_progress p cross join chain_cursor c left join ledger_coverage v on true for update of p`
  return row === undefined ? undefined : stateOf(row)
})

const stateOf = (row: StateRow): CountState => ({
  from: row.from_block,
  to: row.to_block,
  starts: row.starts,
  hasEvents: row.has_events,
  factsFrom: row.facts_from,
  settled: row.settled,
  isBehind: row.behind,
})

/** The first block of each window that ends with a block, as far as facts are counted. */
export const wantedStarts = (sql: SqlClient, { from, to }: Pick<Edges, "from" | "to">) =>
  Effect.map(
    sql<{ start: number }>`
      select coalesce(
        (select number from block where at > last.at - make_interval(secs => w.seconds) order by at, number limit 1),
        ${to + 1}::int) as start
      from (select at from block where number <= ${to} order by number desc limit 1) last,
        unnest(${pgArray("int4", windowSeconds)}) with ordinality w(seconds, place) order by w.place`,
    (rows) => windowSeconds.map((_, i) => Math.min(Math.max(rows[i]?.start ?? from, from), to + 1)),
  )

/** The last block so that not too many fills follow `after`, up to `most`. */
const lastBlock = (sql: SqlClient, after: number, most: number, fills: number) =>
  Effect.map(
    sql<{ block: number }>`
      select block from fill where block > ${after} and block <= ${most} order by block offset ${fills} limit 1`,
    ([row]) => row?.block ?? most,
  )

/** The first block so that not too many fills precede `before`, down to `least`. */
const firstBlock = (sql: SqlClient, before: number, least: number, fills: number) =>
  Effect.map(
    sql<{ block: number }>`
      select block from fill where block < ${before} and block >= ${least} order by block desc offset ${fills} limit 1`,
    ([row]) => row?.block ?? least,
  )

/**
 * The state after the next step: newer blocks that are settled, else windows that do not reach back far enough, else older
 * blocks that the ledger has since. Undefined if there is none.
 */
const nextEdges = Effect.fnUntraced(function* (sql: SqlClient, state: CountState, fills: number) {
  const { from, to, starts, factsFrom, settled, isBehind } = state
  if (to < settled) {
    const last = yield* lastBlock(sql, to, settled, fills)
    const wanted = isBehind ? starts.map(() => last + 1) : yield* wantedStarts(sql, { from, to: last })
    return { from, to: last, starts: starts.map((start, i) => Math.max(start, wanted[i] ?? start)) } satisfies Edges
  }
  if (!isBehind) {
    const wanted = yield* wantedStarts(sql, state)
    const widest = Math.max(0, ...starts.filter((start, i) => start > (wanted[i] ?? start)))
    if (widest > 0) {
      const first = yield* firstBlock(sql, widest, Math.min(...wanted), fills)
      const grown = starts.map((start, i) =>
        start === widest ? Math.max(first, Math.min(start, wanted[i] ?? start)) : start,
      )
      return { from, to, starts: grown } satisfies Edges
    }
  }
  if (factsFrom >= from) return undefined
  return { from: yield* firstBlock(sql, from, factsFrom, fills), to, starts } satisfies Edges
})

const save = (sql: SqlClient, { from, to, starts }: Edges, hasEvents: boolean) => sql`
  update market_count_progress set from_block = ${from}, to_block = ${to}, starts = ${pgArray("int4", starts)},
    has_events = ${hasEvents}`

/** Adds changes to the counts. */
export const apply = (sql: SqlClient, changes: Fragment) => sql`
  with ${changes},
  traded as (
    insert into market_trader as t (scope, wallet, last_block)
    select scope, wallet, seen from pair where seen is not null order by 1, 2
    on conflict (scope, wallet) do update set last_block = excluded.last_block where t.last_block < excluded.last_block),
  noted as (insert into market_stale select scope from change)
  insert into market_count as c (scope, ${sql.literal(columns)})
  select scope, ${sql.literal(columns)} from change
  on conflict (scope) do update set
    ${sql.literal(countColumns.map((column) => `${column} = c.${column} + excluded.${column}`).join(", "))}`

/** Empties the windows and forgets events, while history is read that is too old for them. */
const pause = Effect.fnUntraced(function* (sql: SqlClient, state: CountState) {
  const starts = state.starts.map(() => state.to + 1)
  const zeros = countColumns.filter((column) => !column.endsWith("_all")).map((column) => `${column} = 0`)
  yield* sql`delete from market_trader where scope < 0`
  yield* sql`delete from market_count where scope < 0`
  yield* sql`update market_count set ${sql.literal(zeros.join(", "))}`
  yield* sql`insert into market_stale select id from condition union all select -id from event`
  const paused: CountState = { ...state, starts, hasEvents: false }
  return paused
})

/** Begins to count events. */
const resume = (sql: SqlClient, state: CountState) =>
  Effect.as(sql`insert into market_recount select distinct -event from token where event is not null`, {
    ...state,
    hasEvents: true,
  })

/** Counts or moves some blocks; false if there are none. */
export const countStep = Effect.fnUntraced(function* (sql: SqlClient, reorgDepth: number, fills = mostFills) {
  const found = yield* lockState(sql, reorgDepth)
  if (found === undefined) return false
  const isPaused = found.starts.every((start) => start > found.to) && !found.hasEvents
  const state =
    found.isBehind && !isPaused
      ? yield* pause(sql, found)
      : !found.isBehind && !found.hasEvents
        ? yield* resume(sql, found)
        : found
  const next = yield* nextEdges(sql, state, fills)
  if (next === undefined && state === found) return false
  if (next !== undefined)
    yield* apply(sql, changesSql(sql, { before: state, after: next, withEvents: state.hasEvents }))
  yield* save(sql, next ?? state, state.hasEvents)
  return true
})
