import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { countedOf } from "#src/leaderboards/all-time/pastPositions.ts"
import type { KeptScope } from "#src/leaderboards/BoardQuery.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { listedSql, openPriceSql } from "#src/ledger/positions/price.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { gainSql, isOpenSql, unrealizedSql } from "../positionSql.ts"
import type { BoardBlocks } from "./boardsCover.ts"
import { noSums, type PnlSums, type Summaries, type Within } from "./model.ts"
import { boardTables, type OpenPrices } from "./openPrices.ts"
import { isCounted, isWithin, scopeNumber } from "./scopeSql.ts"

type Ids = ReadonlyArray<number | undefined>

/** Sums that need no price. */
const kept = ["realized", "profit", "wins", "losses", "volume"] as const
/** `with_pnl` counts positions with a gain or loss, realized or not; `open_…` are sums over open positions alone. */
const sums = [
  ...kept,
  "positions",
  "open",
  "partial",
  "unrealized",
  "with_pnl",
  "open_realized",
  "open_with_pnl",
] as const
/** Numbers of positions or events instead of amounts. */
const counts: ReadonlySet<string> = new Set([
  "wins",
  "losses",
  "positions",
  "open",
  "partial",
  "with_pnl",
  "open_with_pnl",
])

const listed = (read: (name: string) => string) => kept.map((name) => `${read(name)} as ${name}`).join(", ")

/** Of a position `p` of a token `t`; as in leaderboards/all-time/pastPositions.ts. */
const isOpen = `(${isOpenSql} and not p.partial)`

/** What a position `p` of a token `t` adds, at a price that is only needed while it is open. */
const whole = (price: string) => `
  p.wallet, ${listed((name) => `p.${name}`)}, 1 as positions, ${isOpen}::int as open, p.partial::int as partial,
  ${unrealizedSql(price)} as unrealized, (p.realized + ${unrealizedSql(price)} <> 0)::int as with_pnl,
  case when ${isOpen} then p.realized else 0 end as open_realized,
  (${isOpen} and p.realized + ${unrealizedSql(price)} <> 0)::int as open_with_pnl`

const idsOf = (sql: SqlClient, wallets: Ids): Fragment =>
  sql`${pgArray("int4", new Set(wallets.filter((id) => id !== undefined)))}`

type Row = AsOfRow & { readonly wallet: number | null; readonly counted: number | null } & PnlSums

const totals = (sql: SqlClient) =>
  sql.literal(sums.map((name) => `sum(a.${name})::${counts.has(name) ? "int" : "int8"} as ${name}`).join(", "))

/** Sums, and what they are based on. */
export interface BoardSums extends Summaries, BoardBlocks {}

const summariesIn = (rows: ReadonlyArray<Row>, wallets: Ids): BoardSums => {
  const byWallet = new Map(rows.map((row) => [row.wallet, row]))
  return {
    sums: wallets.map((id): PnlSums => (id === undefined ? noSums : (byWallet.get(id) ?? noSums))),
    asOf: asOfIn(rows[0]),
    counted: rows[0]?.counted ?? undefined,
    block: rows[0]?.as_of_block ?? undefined,
  }
}

/** Adds the positions of wallets up. */
export const sumPositions = (sql: SqlClient, wallets: Ids, within: Within, prices: OpenPrices) =>
  Effect.map(
    sql<Row>`
      with ${prices.tables(sql)} head as (${sql.literal(asOfSql)})
      select head.*, ${sql.literal(prices.counted)} as counted, s.* from head left join (
        select a.wallet, ${totals(sql)} from (
          select ${sql.literal(whole("price.value"))}
          from position p join token t on t.id = p.token ${sql.literal(prices.join(isOpen))}
          where p.wallet = any(${idsOf(sql, wallets)}) and ${isWithin(sql, within, "p.token")}
            -- Or Postgres reads all tokens in between.
            and ${within.kind === "tokens" ? isWithin(sql, within, "t.id") : sql`true`}) a
        group by a.wallet) s on true`,
    (rows) => summariesIn(rows, wallets),
  )

/** What a position `p` adds now, less what the boards count of it: `c`, or `o` while it is open. */
const changed = `
  c.wallet, ${listed((name) => `coalesce(p.${name}, 0) - coalesce(c.${name}, 0)`)},
  (p.wallet is not null)::int - c.existed::int as positions, coalesce(${isOpen}, false)::int - (o.wallet is not null)::int as open,
  coalesce(p.partial, false)::int - coalesce(c.partial, false)::int as partial,
  coalesce(${unrealizedSql("t.price")}, 0) as unrealized,
  (coalesce(p.realized + ${unrealizedSql("t.price")}, 0) <> 0)::int
    - (o.wallet is null and coalesce(c.realized, 0) <> 0)::int as with_pnl,
  case when ${isOpen} then p.realized else 0 end as open_realized,
  coalesce(${isOpen} and p.realized + ${unrealizedSql("t.price")} <> 0, false)::int as open_with_pnl`

/** What unchanged open positions `h` of a token `t` add to what the boards keep. */
const unchanged = `
  h.wallet, ${listed(() => "0")}, 0 as positions, 0 as open, 0 as partial, h.unrealized,
  (h.realized + h.unrealized <> 0)::int as with_pnl, h.realized as open_realized,
  (h.realized + h.unrealized <> 0)::int as open_with_pnl`

/**
 * Adds what changed since the boards' block to the sums that boards keep; has a row with the state of the ledger and boards
 * (`counted`) for each wallet, or one without a wallet. Right if the ledger can restore all positions of the blocks since, see
 * `uncovered`. Needs `boardTables`.
 */
export const sinceBoards = (sql: SqlClient, wallets: Ids, scope: KeptScope): Fragment => {
  const ids = idsOf(sql, wallets)
  const own = (row: string) =>
    sql`${sql.literal(row)}.wallet = any(${ids}) and ${isCounted(sql, scope, `${row}.token`)}`
  return sql`
    with counted as materialized (
      select r.wallet, r.token, r.existed, ${sql.literal(countedOf("r"))}
      from leaderboard_retracted_position r where ${own("r")}
      union all
      select * from (
        select distinct on (u.wallet, u.token) u.wallet, u.token, u.shares is not null as existed,
          ${sql.literal(countedOf("u"))}
        from state s join position_undo u on u.block > s.block
        where ${own("u")} and not exists (
          select from leaderboard_retracted_position r where r.wallet = u.wallet and r.token = u.token)
        order by u.wallet, u.token, u.block) u),
    held as materialized (
      select o.wallet, o.token, o.shares, o.cost, o.realized, m.token is not null as moved,
        case when l.traded and m.token is null then l.price end as price
      from leaderboard_open o
      join leaderboard_price l on l.token = o.token
      left join moved m on m.token = o.token
      where ${own("o")}),
    -- A token that nobody had traded, and that has not moved since, still has the catalogue's price.
    priced as materialized (
      select t.id, t.resolved_at,
        case when n.moved then ${sql.literal(openPriceSql("t"))} else ${sql.literal(listedSql("t"))} end as price
      from (select token, true as moved from counted union select token, moved from held where price is null) n
      join token t on t.id = n.token),
    valued as (
      select h.wallet, h.realized, ${sql.literal(gainSql("h.shares", "coalesce(h.price, t.price)", "h.cost"))} as unrealized
      from held h left join priced t on t.id = h.token
      where not exists (select from counted c where c.token = h.token and c.wallet = h.wallet)),
    added as (
      select s.wallet, ${sql.literal(kept.map((name) => `s.${name}`).join(", "))}, s.positions, s.open, s.partial,
        0 as unrealized, s.gained as with_pnl, 0 as open_realized, 0 as open_with_pnl
      from leaderboard_standing s where s.scope = ${scopeNumber(sql, scope)} and s.wallet = any(${ids})
      union all
      select ${sql.literal(changed)}
      from counted c
      left join leaderboard_open o on o.token = c.token and o.wallet = c.wallet
      left join position p on p.token = c.token and p.wallet = c.wallet
      left join priced t on t.id = p.token
      union all
      select ${sql.literal(unchanged)} from valued h)
    select head.*, (select block from state) as counted, s.* from (${sql.literal(asOfSql)}) head
    left join (select a.wallet, ${totals(sql)} from added a group by a.wallet) s on true`
}

/** Tokens of which a wallet may hold shares of known cost: those that boards count as open, and those that changed since. */
export const maybeOpen = (sql: SqlClient, wallet: number): Fragment => sql`
  select token from leaderboard_open where wallet = ${wallet}
  union select token from leaderboard_retracted_position where wallet = ${wallet}
  union select u.token from leaderboard_state s join position_undo u on u.block > s.block where u.wallet = ${wallet}`

export const sumSinceBoards = (sql: SqlClient, wallets: Ids, scope: KeptScope) =>
  Effect.map(sql<Row>`with ${boardTables(sql)} select * from (${sinceBoards(sql, wallets, scope)}) s`, (rows) =>
    summariesIn(rows, wallets),
  )
