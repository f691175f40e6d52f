import { Effect } from "effect"
import type { Fragment } from "effect/unstable/sql/Statement"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { type PositionFilter, positionConditions, tokenConditions } from "./PositionFilter.ts"
import { selectShown } from "./positionSql.ts"
import { type ShownPosition, type ShownRow, shownOf } from "./ShownPosition.ts"

/** End of a page. Both ids of a position are immutable, so pages neither overlap nor skip. */
export interface PositionCursor {
  readonly token: number
  readonly wallet: number
}

export interface OnchainQuery {
  readonly wallet: string | undefined
  readonly filter: PositionFilter
  readonly limit: number
  readonly order: "asc" | "desc"
  readonly after: PositionCursor | undefined
}

export interface OnchainPage {
  readonly shown: ReadonlyArray<ShownPosition>
  /** Cursor of the next page; undefined at the end. */
  readonly next: PositionCursor | undefined
}

/** Positions scanned per page, however few of them match. */
export const mostScanned = 20_000

interface Edge {
  readonly scanned: number
  readonly edge_token: number | null
  readonly edge_wallet: number | null
}

const pageOf = (
  rows: ReadonlyArray<Edge & (ShownRow | { readonly token_id: null })>,
  limit: number,
  most: number,
): OnchainPage => {
  const found = rows.flatMap((row) => (row.token_id === null ? [] : [shownOf(row)]))
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  if (found.length > limit && last !== undefined) return { shown, next: { token: last.tokenId, wallet: last.walletId } }
  const { scanned = 0, edge_token = null, edge_wallet = null } = rows[0] ?? {}
  if (scanned < most || edge_token === null || edge_wallet === null) return { shown, next: undefined }
  return { shown, next: { token: edge_token, wallet: edge_wallet } }
}

/** All positions by token and wallet, in the order in which the ledger first saw them. */
export const onchainPositionStore = ({ sql }: Postgres["Service"], mostForOne = mostScanned) => {
  /** Positions in order, filtered as far as indexes allow, up to the scan limit. */
  const candidates = ({ wallet, filter, order, after }: OnchainQuery, most: number): Fragment => {
    const [towards, beyond] = [sql.literal(order), sql.literal(order === "asc" ? ">" : "<")]
    const behind =
      after === undefined ? sql`true` : sql`(p.token, p.wallet) ${beyond} (${after.token}::int, ${after.wallet}::int)`
    const inOrder = sql`order by token ${towards}, wallet ${towards} limit ${most}`
    const resolved = sql`(t.resolved_at is not null)`
    const narrowing = [
      ...tokenConditions(sql, filter),
      ...(filter.status === "open" ? [sql`not ${resolved}`] : []),
      ...(filter.status === "redeemable" ? [resolved] : []),
    ]
    if (wallet !== undefined) {
      const tokens = sql`select t.id from token t where ${sql.and(narrowing)}`
      // Few tokens are open. An array is looked up in the wallet's index, where a join reads all positions of the wallet.
      const wanted = filter.status === "open" ? sql`p.token = any(array(${tokens}))` : sql`p.token in (${tokens})`
      return sql`
        select p.token, p.wallet from position p
        where p.wallet = (select id from wallet where address = ${bytesOfWallet(wallet)}) and ${behind}
          and ${narrowing.length === 0 ? sql`true` : wanted}
        ${inOrder}`
    }
    if (narrowing.length === 0) return sql`select p.token, p.wallet from position p where ${behind} ${inOrder}`
    const onwards = after === undefined ? sql`true` : sql`t.id ${beyond}= ${after.token}`
    return sql`
      select t.id as token, held.wallet
      from (select t.id from token t where ${sql.and([...narrowing, onwards])} order by t.id ${towards}) t
      cross join lateral (
        select p.wallet from position p where p.token = t.id and ${behind}
        order by p.wallet ${towards} limit ${most}) held
      ${inOrder}`
  }

  return (query: OnchainQuery) => {
    const { filter, limit, order } = query
    const [towards, back] = [sql.literal(order), sql.literal(order === "asc" ? "desc" : "asc")]
    const conditions = positionConditions(sql, filter)
    const most = conditions.length === 0 ? limit + 1 : mostForOne
    return Effect.map(
      sql<Edge & (ShownRow | { readonly token_id: null })>`
        with scanned as materialized (${candidates(query, most)}),
        page as materialized (
          select p.token, p.wallet
          from scanned
          join position p using (wallet, token)
          join token t on t.id = p.token
          where ${sql.and(conditions)}
          order by p.token ${towards}, p.wallet ${towards} limit ${limit + 1})
        ${selectShown(
          sql,
          sql`
            select all_of_it.*, edge.*
            from (select count(*)::int as scanned from scanned) all_of_it
            left join (
              select token as edge_token, wallet as edge_wallet from scanned
              order by token ${back}, wallet ${back} limit 1) edge on true`,
        )}
        order by page.token ${towards}, page.wallet ${towards}`,
      (rows) => pageOf(rows, limit, most),
    )
  }
}
