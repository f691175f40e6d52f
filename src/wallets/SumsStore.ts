import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { countedOf, uncovered } from "#src/leaderboards/all-time/pastPositions.ts"
import type { KeptScope } from "#src/leaderboards/BoardQuery.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { openPriceSql, worthSql } from "#src/ledger/positions/price.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { noSums, type PnlSums, type Summaries, type Within } from "./model.ts"
import { isCounted, isListed, isWithin, scopeNumber } from "./scopeSql.ts"

/** Sums that boards keep, besides the open positions. */
const kept = ["realized", "profit", "wins", "losses", "volume"] as const
const added = [...kept, "positions", "partial"] as const

const listed = (read: (name: string) => string) => kept.map((name) => `${read(name)} as ${name}`).join(", ")

/** What a position `p` adds to the sums. */
const whole = `p.wallet, ${listed((name) => `p.${name}`)}, 1 as positions, p.partial::int as partial`

/** What a position `p` adds to the sums that count it as `c`. */
const difference = `
  c.wallet, ${listed((name) => `coalesce(p.${name}, 0) - coalesce(c.${name}, 0)`)},
  (p.wallet is not null)::int - c.existed::int as positions,
  coalesce(p.partial, false)::int - coalesce(c.partial, false)::int as partial`

/** Of a position `p` of a token `t`; as in leaderboards/all-time/pastPositions.ts. */
const isOpen = "p.shares > 0 and not p.partial and t.resolved_at is null"

/**
 * The sums of the boards, and what changed since their block: `added`, and `held`, which has every open position and maybe
 * others. Without boards, or once the ledger is too far ahead, both are read from all positions of the wallets.
 */
const fromBoards = (sql: SqlClient, wallets: Fragment, scope: KeptScope): Fragment => {
  const unknown = uncovered(sql, sql`(select block from leaderboard_state)`, sql`(select block from chain_cursor)`)
  return sql`
    state as materialized (select block from leaderboard_state where not stale and not exists (${unknown})),
    counted as materialized (
      select r.wallet, r.token, r.existed, ${sql.literal(countedOf("r"))}
      from state cross join leaderboard_retracted_position r
      where r.wallet = any(${wallets}) and ${isCounted(sql, scope, "r.token")}
      union all
      select * from (
        select distinct on (u.wallet, u.token) u.wallet, u.token, u.shares is not null as existed,
          ${sql.literal(countedOf("u"))}
        from state s join position_undo u on u.block > s.block
        where u.wallet = any(${wallets}) and ${isCounted(sql, scope, "u.token")}
          and not exists (
            select from leaderboard_retracted_position r where r.wallet = u.wallet and r.token = u.token)
        order by u.wallet, u.token, u.block) u),
    added as (
      select s.wallet, ${sql.literal(added.map((name) => `s.${name}`).join(", "))}
      from leaderboard_standing s
      where s.scope = ${scopeNumber(sql, scope)} and s.wallet = any(${wallets}) and exists (select from state)
      union all
      select ${sql.literal(difference)}
      from counted c left join position p on p.token = c.token and p.wallet = c.wallet
      union all
      select ${sql.literal(whole)} from position p
      where p.wallet = any(${wallets}) and not exists (select from state) and ${isListed(sql, scope, "p.token")}),
    held as (
      select o.wallet, o.token from leaderboard_open o
      where o.wallet = any(${wallets}) and exists (select from state) and ${isCounted(sql, scope, "o.token")}
      union
      select wallet, token from counted
      union
      select p.wallet, p.token from position p
      where p.wallet = any(${wallets}) and p.shares > 0 and not exists (select from state)
        and ${isListed(sql, scope, "p.token")}),
    moved as materialized (
      select token from leaderboard_retracted_position
      union select u.token from state s join position_undo u on u.block > s.block)`
}

const fromPositions = (sql: SqlClient, wallets: Fragment, within: Within): Fragment => {
  const own = sql`p.wallet = any(${wallets}) and ${isWithin(sql, within, "p.token")}`
  return sql`
    state as materialized (select where false),
    added as (select ${sql.literal(whole)} from position p where ${own}),
    held as (select p.wallet, p.token from position p where ${own} and p.shares > 0),
    moved as (select 0 as token where false)`
}

/** The boards know the price of a share that was traded, unless it may have been traded since. */
const price = `
  case when l.traded and exists (select from state) and not exists (select from moved m where m.token = t.id) then l.price
    else ${openPriceSql("t")} end`

type Row = AsOfRow & { readonly wallet: number | null } & PnlSums

/** The sums of wallets as of the newest block, in one statement. */
export const readSums = (sql: SqlClient, wallets: ReadonlyArray<number | undefined>, within: Within) => {
  const ids = sql`${pgArray("int4", new Set(wallets.filter((id) => id !== undefined)))}`
  const parts =
    within.kind === "tokens" || within.kind === "combos"
      ? fromPositions(sql, ids, within)
      : fromBoards(sql, ids, within)
  return Effect.map(
    sql<Row>`
      with ${parts},
      sums as (
        select wallet, ${sql.literal(added.map((name) => `sum(${name})::int8 as ${name}`).join(", "))}
        from added group by wallet),
      open as (
        select h.wallet, count(*) as open, sum(coalesce(${sql.literal(worthSql("h.shares", "h.price"))} - h.cost, 0))::int8 as unrealized
        from (
          select p.wallet, p.shares, p.cost, (select ${sql.literal(price)} offset 0) as price
          from held join position p on p.token = held.token and p.wallet = held.wallet
          join token t on t.id = p.token
          left join leaderboard_price l on l.token = p.token
          where ${sql.literal(isOpen)}) h
        group by h.wallet)
      select head.*, s.wallet, s.realized, s.profit, s.wins::int, s.losses::int, s.positions::int, s.volume,
        s.partial::int, coalesce(o.open, 0)::int as open, coalesce(o.unrealized, 0) as unrealized
      from (${sql.literal(asOfSql)}) head left join sums s on true left join open o on o.wallet = s.wallet`,
    (rows): Summaries => {
      const byWallet = new Map(rows.map((row) => [row.wallet, row]))
      const sums = wallets.map((id): PnlSums => (id === undefined ? noSums : (byWallet.get(id) ?? noSums)))
      return { sums, asOf: asOfIn(rows[0]) }
    },
  )
}
