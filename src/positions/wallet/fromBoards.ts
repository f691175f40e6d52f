import { Effect } from "effect"
import { everything } from "#src/leaderboards/model.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { type PositionFilter, positionConditions } from "../PositionFilter.ts"
import { openTokenJoin, selectShown } from "../ShownPosition.ts"
import { boardPrices, boardTables } from "../sums/openPrices.ts"
import { maybeOpen, sinceBoards } from "../sums/SumsStore.ts"
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
export type SummedStatus = keyof typeof totalsOfStatus

/** The status of a filter that has nothing else; undefined if boards do not know its totals. */
export const summedStatus = ({ status = "all", ...others }: PositionFilter): SummedStatus | undefined =>
  status in totalsOfStatus && Object.values(others).every((value) => value === undefined)
    ? (status as SummedStatus)
    : undefined

/** Takes the totals from the boards, and reads only the positions of the page. Undefined if the boards do not have them. */
export const fromBoards = ({ sql }: Pick<Postgres["Service"], "sql">) =>
  Effect.fnUntraced(function* (query: WalletQuery, status: SummedStatus) {
    const { wallet, limit } = query
    // Boards do not count whether a position of unknown cost is open.
    const unknown = yield* sql`
      select from leaderboard_standing where scope = ${everything} and wallet = ${wallet} and partial > 0`
    if (unknown.length > 0) return undefined
    const { isBehind, inOrder, shownInOrder } = pageOf(sql, query)
    const conditions = [
      sql`p.wallet = ${wallet}`,
      isBehind,
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
          from (${sinceBoards(sql, [wallet], { kind: "everything" })}) s cross join (${paidTo(sql, wallet)}) payments`,
        boardPrices,
      )}
      ${shownInOrder}`
    const found: FoundPage = { ...blocksOf(rows), page: pageIn(rows, limit) }
    return rows[0]?.unknown === 0 ? found : undefined
  })
