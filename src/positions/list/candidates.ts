import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { isComboSql } from "#src/feed/combos/positionId.ts"
import { priceSql } from "#src/ledger/positions/price.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { positionConditions, tokenConditions } from "../PositionFilter.ts"
import { tokenJoin } from "../positionSql.ts"
import type { PositionQuery } from "./model.ts"
import { boundOf, joinsOf, sortSql } from "./sorts.ts"

/** The query's names as ids of the ledger. */
export interface PositionIds {
  readonly wallet: number | undefined
  /** Undefined if the filter names no market. */
  readonly tokens: ReadonlyArray<number> | undefined
}

/** Positions that a page of all wallets examines, however few of them match. */
export const mostExamined = 5_000

const directions = (sql: SqlClient, { order }: PositionQuery) => ({
  towards: sql.literal(order),
  beyond: sql.literal(order === "desc" ? "<" : ">"),
})

/** Unless they are wanted; of a token `t`. */
const isListed = (sql: SqlClient, { withCombos }: PositionQuery): ReadonlyArray<Fragment> =>
  withCombos ? [] : [sql`not ${sql.literal(isComboSql("t"))}`]

/**
 * Unless they are wanted; of a wallet's position. `not in` makes Postgres hash the tokens of combos, which have an index; it
 * takes them for fewer than they are and would join them one by one. A page that an index has in order looks at few positions,
 * so that it asks for the token of each.
 */
const isListedOfWallet = (sql: SqlClient, { withCombos, sort, filter }: PositionQuery): ReadonlyArray<Fragment> => {
  if (withCombos) return []
  const { status = "all", tagSlug } = filter
  const isInOrder = sort === "realized_pnl" && (status === "all" || status === "closed") && tagSlug === undefined
  const isCombo = sql.literal(isComboSql("k"))
  return [
    isInOrder
      ? sql`(select not ${isCombo} from token k where k.id = p.token)`
      : sql`p.token not in (select k.id from token k where ${isCombo})`,
  ]
}

/** The first condition lets an index find where the page begins. */
const isBehind = (sql: SqlClient, query: PositionQuery, sorted = sortSql[query.sort]): ReadonlyArray<Fragment> => {
  const { behind, sort } = query
  if (behind === undefined) return []
  const { beyond } = directions(sql, query)
  const [value, bound] = [sql.literal(sorted), boundOf(sql, sort, behind.sort)]
  return [
    sql`${value} ${beyond}= ${bound}`,
    sql`(${value}, p.token, p.wallet) ${beyond} (${bound}, ${behind.token}::int, ${behind.wallet}::int)`,
  ]
}

const inOrder = (sql: SqlClient, query: PositionQuery) => {
  const { towards } = directions(sql, query)
  return sql`order by sort ${towards}, token ${towards}, wallet ${towards} limit ${query.offset + query.limit + 1}`
}

const ofWallet = (sql: SqlClient, query: PositionQuery, wallet: number, { tokens }: PositionIds): Fragment => {
  const { filter, sort } = query
  const { status = "all", tagSlug } = filter
  const conditions = [
    sql`p.wallet = ${wallet}`,
    ...(tokens === undefined ? [] : [sql`p.token = any(${pgArray("int4", tokens)})`]),
    ...tokenConditions(sql, { tagSlug }),
    ...positionConditions(sql, filter),
    ...isListedOfWallet(sql, query),
    ...isBehind(sql, query),
  ]
  return sql`
    select p.wallet, p.token, ${sql.literal(sortSql[sort])} as sort
    from position p ${sql.literal(joinsOf(sort, status, tagSlug !== undefined))}
    where ${sql.and(conditions)} ${inOrder(sql, query)}`
}

/** The price of a token is the same for all its holders. */
const ofTokens = (sql: SqlClient, query: PositionQuery, tokens: ReadonlyArray<number>): Fragment => {
  const conditions = [
    sql`p.token = t.id`,
    ...positionConditions(sql, query.filter),
    ...isListed(sql, query),
    ...isBehind(sql, query),
  ]
  return sql`
    select held.wallet, t.id as token, held.sort
    from token t
    cross join lateral (select ${sql.literal(priceSql("t"))} as value offset 0) price
    cross join lateral (
      select p.wallet, p.token, ${sql.literal(sortSql[query.sort])} as sort from position p
      where ${sql.and(conditions)} ${inOrder(sql, query)}) held
    where t.id = any(${tokens}::int[]) ${inOrder(sql, query)}`
}

/** The positions of all wallets that a page examines, by their last change; undefined if an index finds those that match. */
export const examined = (
  sql: SqlClient,
  query: PositionQuery,
  ids: PositionIds,
  most: number,
): Fragment | undefined => {
  if (ids.wallet !== undefined || ids.tokens !== undefined) return undefined
  const { towards } = directions(sql, query)
  // What an offset skips is examined as well.
  return sql`
    select p.*, p.changed_at as sort from position p
    where ${sql.and([sql`true`, ...isBehind(sql, query, "p.changed_at")])}
    order by sort ${towards}, token ${towards}, wallet ${towards} limit ${most + query.offset}`
}

/** The positions of a page, in order, by the index that finds them soonest. */
export const candidates = (sql: SqlClient, query: PositionQuery, ids: PositionIds, most: number): Fragment => {
  if (ids.wallet !== undefined) return ofWallet(sql, query, ids.wallet, ids)
  if (ids.tokens !== undefined) return ofTokens(sql, query, ids.tokens)
  const conditions = [sql`true`, ...positionConditions(sql, query.filter), ...isListed(sql, query)]
  return sql`
    select p.wallet, p.token, p.sort
    from (${examined(sql, query, ids, most) ?? sql``}) p ${sql.literal(tokenJoin)}
    where ${sql.and(conditions)} ${inOrder(sql, query)}`
}
