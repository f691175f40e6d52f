import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { boardDays } from "./model.ts"
import { fillsIn, routedSql } from "./routedSql.ts"

export const windows: ReadonlyArray<number> = Object.values(boardDays).filter((days) => days > 0)

/** The wallets that used each builder, in some blocks. */
export const windowUsers = (sql: SqlClient, range: BlockRange): Fragment => sql`
  select total(usd) as usd, total(fee) as fees, builder, wallet, count(*)::int as fills
  from (${routedSql(sql, fillsIn(sql, range))}) f group by builder, wallet`

const add = (sql: SqlClient, days: number, range: BlockRange) => sql`
  insert into builder_window as w (usd, fees, builder, wallet, fills, days)
  select usd, fees, builder, wallet, fills, ${sql.literal(String(days))} from (${windowUsers(sql, range)}) u
  on conflict (builder, days, wallet) do update set usd = w.usd + excluded.usd, fees = w.fees + excluded.fees,
    fills = w.fills + excluded.fills`

const subtract = Effect.fnUntraced(function* (sql: SqlClient, days: number, range: BlockRange) {
  yield* sql`
    update builder_window w set usd = w.usd - u.usd, fees = w.fees - u.fees, fills = w.fills - u.fills
    from (${windowUsers(sql, range)}) u
    where w.days = ${days}::smallint and w.builder = u.builder and w.wallet = u.wallet`
  yield* sql`
    delete from builder_window w using (
      select distinct builder, maker as wallet from (${fillsIn(sql, range)}) f where builder <> 0) u
    where w.days = ${days}::smallint and w.builder = u.builder and w.wallet = u.wallet and w.fills = 0`
})

interface Move {
  readonly days: number
  readonly from: number
  readonly to: number
  /** Null while the window counts nothing. */
  readonly counted_from: number | null
  readonly counted_to: number | null
}

/** Where each window is, and where it belongs: it ends with the counted blocks. */
const moves = (sql: SqlClient) => sql<Move>`
  select w.days, p.to_block as to, c.from_block as counted_from, c.to_block as counted_to,
    greatest(p.from_block, coalesce((
      select b.number from block b
      where b.at > (select at from block where number <= p.to_block order by number desc limit 1) - make_interval(days => w.days)
      order by b.at, b.number limit 1), p.to_block + 1)) as from
  from builder_progress p cross join unnest(${sql.literal(`array[${windows.join(", ")}]`)}) w(days)
  left join builder_window_progress c on c.days = w.days
  where p.to_block >= p.from_block`

/** Blocks from one to another; nothing if they are none. */
const blocks = (from: number, to: number): ReadonlyArray<BlockRange> => (from > to ? [] : [{ from, to }])

const move = Effect.fnUntraced(function* (sql: SqlClient, { days, from, to, counted_from, counted_to }: Move) {
  if (counted_from === from && counted_to === to) return
  const isApart = counted_from === null || counted_to === null || from > counted_to || to < counted_from
  if (isApart) {
    yield* sql`delete from builder_window where days = ${days}::smallint`
    for (const range of blocks(from, to)) yield* add(sql, days, range)
  } else {
    for (const range of [...blocks(from, counted_from - 1), ...blocks(counted_to + 1, to)]) yield* add(sql, days, range)
    for (const range of blocks(counted_from, from - 1)) yield* subtract(sql, days, range)
  }
  yield* sql`
    insert into builder_window_progress (days, from_block, to_block) values (${days}::smallint, ${from}, ${to})
    on conflict (days) do update set from_block = excluded.from_block, to_block = excluded.to_block`
})

/** Moves the windows up to the newest counted block: adds what enters them and subtracts what leaves. */
export const moveWindows = Effect.fnUntraced(function* (sql: SqlClient) {
  for (const each of yield* moves(sql)) yield* move(sql, each)
})
