import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { type AsOf, type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { tokenConditions } from "../PositionFilter.ts"
import { selectShown } from "../positionSql.ts"
import { type ShownPosition, type ShownRow, shownOf } from "../ShownPosition.ts"
import { candidates, examined, mostExamined, type PositionIds } from "./candidates.ts"
import type { PositionPlace, PositionQuery } from "./model.ts"
import { placeSql } from "./sorts.ts"

/** An id that nothing has. */
const none = -1

/** Finds the ids of the query's names. A tag has too many tokens to list them. */
export const findIds = (sql: SqlClient, { wallet, filter }: Pick<PositionQuery, "wallet" | "filter">) => {
  const ofToken = tokenConditions(sql, { ...filter, tagSlug: undefined })
  if (wallet === undefined && ofToken.length === 0)
    return Effect.succeed<PositionIds>({ wallet: undefined, tokens: undefined })
  return Effect.map(
    sql<{ readonly wallet: number | null; readonly tokens: ReadonlyArray<number> | null }>`
      select
        ${wallet === undefined ? sql`null::int` : sql`(select id from wallet where address = ${bytesOfWallet(wallet)})`} as wallet,
        ${ofToken.length === 0 ? sql`null::int[]` : sql`array(select t.id from token t where ${sql.and(ofToken)})`} as tokens`,
    ([row]): PositionIds => ({
      wallet: wallet === undefined ? undefined : (row?.wallet ?? none),
      tokens: row?.tokens ?? undefined,
    }),
  )
}

/** The same ids, with only those tokens that are combos of the wallet. */
export const onlyCombos = ({ wallet, tokens }: PositionIds, combos: ReadonlyArray<number>): PositionIds => {
  const wanted = tokens && new Set(tokens)
  return { wallet, tokens: wanted === undefined ? combos : combos.filter((token) => wanted.has(token)) }
}

type Edge = readonly [sort: bigint, token: bigint, wallet: bigint]
type Row = AsOfRow & { readonly edge: Edge | null } & (
    | (ShownRow & { readonly place: bigint })
    | { readonly token_id: null }
  )

/** Where a page stops that has examined as many positions as it may; null if it has examined all. */
const edgeOf = (sql: SqlClient, query: PositionQuery, ids: PositionIds, most: number) => {
  const scanned = examined(sql, query, ids, most)
  return scanned === undefined
    ? sql.literal("null::int8[]")
    : sql`
      case when (select count(*) from page) <= ${query.limit} then (
        select array[${sql.literal(placeSql(query.sort, "p.sort"))}, p.token, p.wallet]
        from (${scanned}) p offset ${most + query.offset - 1} limit 1) end`
}

const placeAt = (edge: Edge | null | undefined): PositionPlace | undefined =>
  edge ? { sort: edge[0], token: Number(edge[1]), wallet: Number(edge[2]) } : undefined

export interface ReadPositions {
  readonly shown: ReadonlyArray<ShownPosition>
  readonly next: PositionPlace | undefined
  readonly asOf: AsOf | undefined
}

/** A page of positions and the state of the ledger that it shows, in one statement. */
export const readPage = (sql: SqlClient, query: PositionQuery, ids: PositionIds, most = mostExamined) => {
  const { limit, offset } = query
  const towards = sql.literal(query.order)
  return Effect.map(
    sql<Row>`
      with page as materialized (
        select * from (${candidates(sql, query, ids, most)}) candidate
        order by sort ${towards}, token ${towards}, wallet ${towards} offset ${offset} limit ${limit + 1})
      ${selectShown(
        sql,
        sql`select as_of.*, ${edgeOf(sql, query, ids, most)} as edge from (${sql.literal(asOfSql)}) as_of`,
        { more: `${placeSql(query.sort, "page.sort")} as place, ` },
      )}
      order by page.sort ${towards}, page.token ${towards}, page.wallet ${towards}`,
    (rows): ReadPositions => {
      const found = rows.flatMap((row) => (row.token_id === null ? [] : [row])).slice(0, limit + 1)
      const last = found.length > limit ? found[limit - 1] : undefined
      const next = last && { sort: last.place, token: last.token_id, wallet: last.wallet_id }
      return {
        shown: found.slice(0, limit).map(shownOf),
        next: next ?? placeAt(rows[0]?.edge),
        asOf: asOfIn(rows[0]),
      }
    },
  )
}
