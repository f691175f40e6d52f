import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import type { KeptScope } from "#src/leaderboards/BoardQuery.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { type PositionFilter, positionConditions, tokenConditions } from "../PositionFilter.ts"
import { openTokenJoin, selectShown } from "../positionSql.ts"
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
export interface KnownTotals {
  readonly status: SummedStatus
  readonly scope: KeptScope
}

/** The positions of a filter with a status and a tag at most; undefined if boards do not know their totals. */
export const knownTotals = ({ status = "all", tagSlug, ...others }: PositionFilter): KnownTotals | undefined =>
  status in totalsOfStatus && Object.values(others).every((value) => value === undefined)
    ? {
        status: status as SummedStatus,
        scope: tagSlug === undefined ? { kind: "everything" } : { kind: "tag", value: tagSlug },
      }
    : undefined

export interface BoardLimits {
  /**
   * Below this share of a wallet's positions, those of a page are found from the tokens of the tag, else by walking the
   * wallet's positions in the order of the page, which reads 1 / share of them for each that is shown.
   */
  readonly smallShare: number
  /** If the tags of so many conditions may have changed, they are not searched for those of a wallet. */
  readonly rescoped: number
}

const boardLimits: BoardLimits = { smallShare: 0.05, rescoped: 1_000 }

/** Whether the tags of a wallet's tokens may be others than the boards count. */
const isRescoped = (sql: SqlClient, wallet: number, most: number) => {
  const conditions = sql`(select condition from leaderboard_rescoped limit ${most})`
  return sql`(
    (select count(*) = ${most} from ${conditions} n)
    or exists (
      select from ${conditions} n join token t on t.condition = n.condition
      join position p on p.token = t.id and p.wallet = ${wallet}))`
}

/** The share of a wallet's positions that are in a scope, and whether their totals are unknown, as the boards count them. */
const readShare = (sql: SqlClient, wallet: number, of: KeptScope, isChanged: Fragment) => {
  const standing = (scope: KeptScope) => sql`
    (select positions, partial from leaderboard_standing where wallet = ${wallet} and scope = ${scopeNumber(sql, scope)})`
  return Effect.map(
    sql<{ readonly share: number; readonly unknown: boolean }>`
      select coalesce(s.positions::float8 / nullif(e.positions, 0), 0) as share,
        -- Boards do not count whether a position of unknown cost is open.
        coalesce(s.partial, 0) > 0 or ${isChanged} as unknown
      from (select) one left join ${standing(of)} s on true left join ${standing({ kind: "everything" })} e on true`,
    ([row]) => row ?? { share: 0, unknown: true },
  )
}

/** Takes the totals from the boards, and reads only the positions of the page. Undefined if the boards do not have them. */
export const fromBoards = ({ sql, planned }: Pick<Postgres["Service"], "sql" | "planned">, limits = boardLimits) =>
  Effect.fnUntraced(function* (query: WalletQuery, { status, scope }: KnownTotals) {
    const { wallet, limit, filter } = query
    const isChanged = scope.kind === "everything" ? sql`false` : isRescoped(sql, wallet, limits.rescoped)
    const counted = yield* readShare(sql, wallet, scope, isChanged)
    if (counted.unknown) return undefined
    const { isBehind, inOrder, shownInOrder } = pageOf(sql, query)
    const isRare = scope.kind !== "everything" && counted.share < limits.smallShare
    const conditions = [
      sql`p.wallet = ${wallet}`,
      isBehind,
      isCounted(sql, scope, "p.token"),
      ...(isRare ? [sql`p.token in (select t.id from token t where ${sql.and(tokenConditions(sql, filter))})`] : []),
      // An array is looked up in the wallet's index, in the order of the page.
      ...(status === "open" ? [sql`p.token = any(array(${maybeOpen(sql, wallet)}))`] : []),
      ...positionConditions(sql, { status }),
    ]
    // One plan serves all wallets where the page follows an index; planning takes a sixth of the time. How rare and open
    // positions are best found depends on the wallet.
    const reader = status === "all" && !isRare ? planned : sql
    const rows = yield* reader<WalletRow & BoardRow & { readonly unknown: boolean }>`
      with ${boardTables(sql)},
      page as materialized (
        select p.wallet, p.token from position p ${sql.literal(status === "all" ? "" : openTokenJoin)}
        where ${sql.and(conditions)} ${inOrder})
      ${selectShown(
        sql,
        // Both may have become true since the share was read.
        sql`
          select s.as_of_block, s.counted, coalesce(s.partial, 0) > 0 or ${isChanged} as unknown,
            ${sql.literal(totalsOfStatus[status])}, payments.*
          from (${sinceBoards(sql, [wallet], scope)}) s cross join (${paidTo(sql, wallet)}) payments`,
        boardPrices,
      )}
      ${shownInOrder}`
    const found: FoundPage = { ...blocksOf(rows), page: pageIn(rows, limit) }
    return rows[0]?.unknown === false ? found : undefined
  })
