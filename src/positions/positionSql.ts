import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { lastTradeSql, listedSql, payoutSql, worthSql } from "#src/ledger/positions/price.ts"

/** Of a position `p` of a token `t`, or of `openTokenJoin`. */
export const isOpenSql = "(p.shares > 0 and t.id is not null and t.resolved_at is null)"

/** Joins the token `t` of a position only if its condition is open: those are few. */
export const openTokenJoin = "left join token t on t.id = p.token and t.resolved_at is null"
export const tokenJoin = "join token t on t.id = p.token"

/** When the position closed; a later redemption only moves cash. */
export const closedAtSql = "least(p.changed_at, t.resolved_at)"

/**
 * Average price of all shares received, without fees in collateral; 0 for shares from transfers alone, and where a
 * conversion paid out more than the converted shares had cost.
 */
export const averageSql = `
  case when p.bought = 0 then 0
    -- In whole numbers unless they would be too large: rounding a wallet's fractions takes as long as reading its positions.
    when p.paid between -4000000000000 and 4000000000000
      then greatest(0, (2000000 * p.paid + p.bought) / (2 * p.bought))
    else greatest(0, round(1000000.0 * p.paid / p.bought))::int8 end`

/** What shares are worth beyond their cost; without a price, they are worth what they cost. */
export const gainSql = (shares: string, price: string, cost: string) =>
  `coalesce(${worthSql(shares, price)} - ${cost}, 0)`

/** Unrealized P&L of an open position; `t` is its token. */
export const unrealizedSql = (price: string) =>
  `case when ${isOpenSql} and not p.partial then ${gainSql("p.shares", price, "p.cost")} else 0 end`

/** Value of the remaining shares of a position; 0 without a price. */
export const valueSql = (price: string) =>
  `case when p.shares > 0 then coalesce(${worthSql("p.shares", price)}, 0) else 0 end`

/** A condition that was listed twice uses its newest market, `m`; a combo is not listed at all. */
export const marketJoin = `
  left join lateral (
    select m.event, m.question, m.slug, m.image, m.ends_at, m.closed, m.outcomes, m.neg_risk from market m
    where m.condition = t.condition order by m.id desc limit 1) m on true`

/** Of a condition `c`, which has the title of its newest market, or of its legs. */
export const titleSql = "c.title"

const tokenColumns = `
  t.id, encode(t.hash, 'hex') as token, '0x' || encode(c.hash, 'hex') as condition, t.outcome,
  encode(o.hash, 'hex') as opposite, o.outcome as opposite_outcome, t.resolved_at, r.payouts, price.value as price,
  last.trade as last_trade, ${titleSql} as title, m.slug, m.image, m.ends_at, m.closed as market_closed, m.neg_risk,
  m.outcomes, e.slug as event_slug, e.tags`

/** A join of `last.trade`, the price of the newest trade of each open token `t`. */
export const lastTradeJoin = `
  left join lateral (select case when ${payoutSql("t")} is null then ${lastTradeSql("t")} end as trade offset 0) last on true`

const tokenTables = (lastTrade: string) => `
  (select distinct token from page) shown
  join token t on t.id = shown.token
  left join condition c on c.id = t.condition
  left join resolution r on r.condition = t.condition
  ${lastTrade}
  left join lateral (select coalesce(${payoutSql("t")}, last.trade, ${listedSql("t")}) as value offset 0) price on true
  left join lateral (
    select o.hash, o.outcome from token o where o.condition = t.condition and o.id <> t.id order by o.outcome limit 1) o on true
  ${marketJoin}
  left join event e on e.id = m.event`

const columns = `
  p.wallet as wallet_id, p.token as token_id, '0x' || encode(w.address, 'hex') as wallet, t.token, t.condition, t.outcome,
  t.opposite, t.opposite_outcome, p.shares, p.partial, p.cost, p.realized, p.bought, p.redeemed, p.changed_at, p.traded_at,
  case when ${isOpenSql} then null else ${closedAtSql} end as closed_at, t.resolved_at, t.payouts,
  (${averageSql})::float8 as average, t.price, t.last_trade, ${unrealizedSql("t.price")} as unrealized,
  ${valueSql("t.price")} as value, t.title, t.slug, t.image, t.ends_at, t.market_closed, t.neg_risk, t.outcomes,
  t.event_slug, t.tags`

// Where Postgres expects one row and there are hundreds, a nested loop would compare all rows of the page with all names. A full join is
// never one, unless the statement requires that a column of `page` is not null.
// By the page's token: by that of the position, Postgres would read all shown tokens for each position.
const pageWithNames = `
  page
  full join shown_token t on t.id = page.token
  left join position p on p.wallet = page.wallet and p.token = page.token
  left join wallet w on w.id = page.wallet`

/**
 * Completes a statement whose last table, `page`, lists positions by wallet and token, and reads them. The holders of a token
 * share its price and names, which are read once. Each row also has the totals of `head`; without positions there is one row
 * with totals and a null `token_id`. `more` are further columns.
 */
export const selectShown = (sql: SqlClient, head: Fragment, { more = "", lastTrade = lastTradeJoin } = {}) => sql`,
  shown_token as materialized (
    select ${sql.literal(tokenColumns)} from ${sql.literal(tokenTables(lastTrade))})
  select head.*, ${sql.literal(`${more}${columns}`)} from (${head}) head left join (${sql.literal(pageWithNames)}) on true`
