import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { KeptScope } from "#src/leaderboards/BoardQuery.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { type PositionFilter, positionConditions, tokenConditions } from "../PositionFilter.ts"
import { openTokenJoin, selectShown } from "../ShownPosition.ts"
import { boardPrices, boardTables } from "../sums/openPrices.ts"
import { maybeOpen, sinceBoards } from "../sums/SumsStore.ts"
import { isCounted, scopeNumber } from "../sums/scopeSql.ts"
import {
  type BoardRow,
  blocksOf,
  type FoundPage,
  pageIn,
  pageOf,
  paidTo,
  type WalletQuery,
  type WalletRow,
} from "./model.ts"

/** Totals over the positions of a status, from the sums `s` over all of them. */
const totalsOfStatus = {
  all: `
    coalesce(s.positions, 0) as positions, coalesce(s.open, 0) as open, coalesce(s.realized, 0) as total_realized,
    coalesce(s.unrealized, 0) as total_unrealized, coalesce(s.with_pnl, 0) as with_pnl`,
  open: `
    coalesce(s.open, 0) as positions, coalesce(s.open, 0) as open, coalesce(s.open_realized, 0) as total_realized,
    coalesce(s.unrealized, 0) as total_unrealized, coalesce(s.open_with_pnl, 0) as with_pnl`,
  closed: `
    coalesce(s.positions - s.open, 0) as positions, 0 as open, coalesce(s.realized - s.open_realized, 0) as total_realized,
    0::int8 as total_unrealized, coalesce(s.with_pnl - s.open_with_pnl, 0) as with_pnl`,
} as const
type SummedStatus = keyof typeof totalsOfStatus

/** Positions whose totals boards know. */
export interface Summed {
  readonly status: SummedStatus
  readonly scope: KeptScope
}

/** The positions of a filter with a status and a tag at most; undefined if boards do not know their totals. */
export const summedBy = ({ status = "all", tagSlug, ...others }: PositionFilter): Summed | undefined =>
  status in totalsOfStatus && Object.values(others).every((value) => value === undefined)
    ? {
        status: status as SummedStatus,
        scope: tagSlug === undefined ? { kind: "everything" } : { kind: "tag", value: tagSlug },
      }
    : undefined

/** Of conditions whose tags may have changed. If there are so many, they are not searched for those of a wallet. */
const mostRescoped = 1_000

/** Whether the tags of a wallet's tokens may be others than the boards count. */
const isRescoped = (sql: SqlClient, wallet: number) => {
  const conditions = sql`(select condition from leaderboard_rescoped limit ${mostRescoped})`
  return sql`(
    (select count(*) = ${mostRescoped} from ${conditions} n)
    or exists (
      select from ${conditions} n join token t on t.condition = n.condition
      join position p on p.token = t.id and p.wallet = ${wallet}))`
}

/** What boards count of a wallet: the share of its positions that are in the scope; undefined if the totals are not known. */
const readShare = Effect.fnUntraced(function* (sql: SqlClient, wallet: number, scope: KeptScope) {
  const standing = (number: KeptScope) => sql`
    (select positions, partial from leaderboard_standing where wallet = ${wallet} and scope = ${scopeNumber(sql, number)})`
  const [row] = yield* sql<{ readonly share: number; readonly unknown: boolean }>`
    select coalesce(s.positions::float8 / nullif(e.positions, 0), 0) as share,
      coalesce(s.partial, 0) > 0 or ${scope.kind === "everything" ? sql`false` : isRescoped(sql, wallet)} as unknown
    from (select) one left join ${standing(scope)} s on true left join ${standing({ kind: "everything" })} e on true`
  // Boards do not count whether a position of unknown cost is open.
  return row?.unknown === false ? row.share : undefined
})

/** Below this share of a wallet's positions, those of a page are found from the tokens of the scope, else in the order of the page. */
const smallShareOfPositions = 0.05

/** Takes the totals from the boards, and reads only the positions of the page. Undefined if the boards do not have them. */
export const fromBoards = ({ sql }: Pick<Postgres["Service"], "sql">, smallShare = smallShareOfPositions) =>
  Effect.fnUntraced(function* (query: WalletQuery, { status, scope }: Summed) {
    const { wallet, limit, filter } = query
    const share = yield* readShare(sql, wallet, scope)
    if (share === undefined) return undefined
    const { isBehind, inOrder, shownInOrder } = pageOf(sql, query)
    const conditions = [
      sql`p.wallet = ${wallet}`,
      isBehind,
      isCounted(sql, scope, "p.token"),
      ...(share < smallShare && scope.kind !== "everything"
        ? [sql`p.token in (select t.id from token t where ${sql.and(tokenConditions(sql, filter))})`]
        : []),
      // An array is looked up in the wallet's index, in the order of the page.
      ...(status === "open" ? [sql`p.token = any(array(${maybeOpen(sql, wallet)}))`] : []),
      ...positionConditions(sql, { status }),
    ]
    const rows = yield* sql<WalletRow & BoardRow & { readonly unknown: number }>`
      with ${boardTables(sql)},
      page as materialized (
        select p.wallet, p.token from position p ${sql.literal(status === "all" ? "" : openTokenJoin)}
        where ${sql.and(conditions)} ${inOrder})
      ${selectShown(
        sql,
        sql`
          select s.as_of_block, s.counted, coalesce(s.partial, 0) as unknown, ${sql.literal(totalsOfStatus[status])}, payments.*
          from (${sinceBoards(sql, [wallet], scope)}) s cross join (${paidTo(sql, wallet)}) payments`,
        boardPrices,
      )}
      ${shownInOrder}`
    const found: FoundPage = { ...blocksOf(rows), page: pageIn(rows, limit) }
    return rows[0]?.unknown === 0 ? found : undefined
  })
