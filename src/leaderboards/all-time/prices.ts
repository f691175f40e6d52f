import { Clock, Duration, Effect, Option } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { openPriceSql, worthSql } from "#src/ledger/positions/price.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { movedRows } from "../metrics.ts"
import { everything } from "../model.ts"

// Without a price, a share is worth the 0.50 that a split makes it.
const priceOf = (token: string) => `coalesce(${openPriceSql(token)}, 500000)`

/** Sets the price of tokens that have none yet. */
export const price = (sql: SqlClient, tokens: Fragment) => sql`
  insert into leaderboard_price (token, price)
  select t.id, ${sql.literal(priceOf("t"))} from token t
  where t.id in (${tokens}) and not exists (select 1 from leaderboard_price p where p.token = t.id)`

/** Marks these tokens for repricing. */
export const noteRepriced = (sql: SqlClient, tokens: Fragment) =>
  sql`insert into leaderboard_repriced (token) ${tokens} on conflict do nothing`

/** The price at which a wallet's shares are counted. */
export const countedPrice = (price: string, wallet: string): string =>
  `case when ${wallet} < ${price}.below then ${price}.next else ${price}.price end`

const tokensAtOnce = 64
/** Limits of one statement; a token with many holders takes several. */
const sumsAtOnce = 1_000

interface Repricing {
  readonly token: number
  readonly price: number
  readonly next: number
  readonly below: number
  readonly scopes: ReadonlyArray<number>
}

/** Tokens with a new price, partly repriced ones first; clears the mark of the others. */
const someRepriced = Effect.fnUntraced(function* (sql: SqlClient) {
  const found = yield* sql<Omit<Repricing, "price" | "next"> & { price: number | null; next: number | null }>`
    select r.token, p.price, p.below, case
        when exists (select from resolution r where r.condition = t.condition) then null
        when p.below > 0 then p.next
        else nullif(${sql.literal(priceOf("t"))}, p.price)
      end as next,
      array_prepend(${everything}::int4, array(select scope from leaderboard_token l where l.token = r.token)) as scopes
    from (
      select r.token from leaderboard_repriced r left join leaderboard_price p on p.token = r.token
      order by p.below > 0 desc nulls last, random() limit ${tokensAtOnce}) r
    join token t on t.id = r.token
    left join leaderboard_price p on p.token = r.token`
  const moved = found.filter((each): each is Repricing => each.price !== null && each.next !== null)
  const tokens = new Set(moved.map(({ token }) => token))
  const unmoved = found.flatMap(({ token }) => (tokens.has(token) ? [] : [token]))
  if (unmoved.length > 0) {
    const those = pgArray("int4", unmoved)
    yield* sql`delete from leaderboard_repriced where token = any(${those})`
    // Resolved since: no shares of it are counted any more.
    yield* sql`update leaderboard_price set next = null, below = 0 where token = any(${those}) and below > 0`
  }
  return { moved, isAll: found.length < tokensAtOnce }
})

/** Revalues some holders of a token at its next price. When all are done, the token is checked again for a newer price. */
const repriceSome = Effect.fnUntraced(function* (sql: SqlClient, { token, price, next, below, scopes }: Repricing) {
  const most = Math.ceil(sumsAtOnce / scopes.length)
  const [done] = yield* sql<{ holders: number; last: number | null; rows: number }>`
    with held as materialized (
      select wallet, shares from position where token = ${token} and wallet >= ${below} order by wallet limit ${most}),
    counted as (
      update leaderboard_standing s
      set unrealized = s.unrealized + (${sql.literal(worthSql("h.shares", String(next)))}) - (${sql.literal(worthSql("h.shares", String(price)))})
      from held h cross join unnest(${pgArray("int4", scopes)}) x(scope)
      where h.shares > 0 and s.scope = x.scope and s.wallet = h.wallet returning 1)
    select count(*)::int as holders, max(wallet) as last, (select count(*) from counted)::int as rows from held`
  yield* movedRows("standing", done?.rows ?? 0)
  const last = done === undefined || done.holders < most ? null : done.last
  yield* last === null
    ? sql`update leaderboard_price set price = ${next}, next = null, below = 0 where token = ${token}`
    : sql`update leaderboard_price set next = ${next}, below = ${last + 1} where token = ${token}`
})

/**
 * Revalues open positions at the newest prices within the time limit; returns whether all were done.
 */
export const reprice = Effect.fnUntraced(function* (sql: SqlClient, time: Duration.Duration) {
  const clock = yield* Clock.Clock
  const until = clock.monotonicTimeNanosUnsafe() + Option.getOrElse(Duration.toNanos(time), () => 0n)
  for (;;) {
    const { moved, isAll } = yield* someRepriced(sql)
    if (isAll && moved.length === 0) return true
    for (const each of moved) {
      yield* repriceSome(sql, each)
      if (clock.monotonicTimeNanosUnsafe() >= until) return false
    }
  }
})
