import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { type MakerPayments, noPayments, paymentSums } from "#src/ledger/PaymentStore.ts"
import type { PositionFilter } from "../PositionFilter.ts"
import { type ShownPosition, type ShownRow, shownOf } from "../ShownPosition.ts"
import type { BoardBlocks } from "../sums/boardsCover.ts"

export interface WalletQuery {
  readonly wallet: number
  readonly filter: PositionFilter
  readonly limit: number
  readonly offset: number
  readonly order: "asc" | "desc"
  /** Token of the last position of the page before. */
  readonly after: number | undefined
}

export interface WalletPage {
  /** Totals over all matching positions, on this page or not. */
  readonly totals: {
    readonly positions: number
    readonly open: number
    readonly realized: bigint
    readonly unrealized: bigint
    readonly withPnl: number
    /** Of the wallet, whatever matches. */
    readonly payments: MakerPayments
  }
  readonly shown: ReadonlyArray<ShownPosition>
  readonly hasMore: boolean
}

interface Totals extends MakerPayments {
  readonly positions: number
  readonly open: number
  readonly total_realized: bigint
  readonly total_unrealized: bigint
  readonly with_pnl: number
}

/** A position of the page, or none, with the totals. */
export type WalletRow = Totals & (ShownRow | { readonly token_id: null })

export const pageIn = (rows: ReadonlyArray<WalletRow>, limit: number): WalletPage => {
  const { positions = 0, open = 0, total_realized = 0n, total_unrealized = 0n, with_pnl = 0 } = rows[0] ?? {}
  const { rewards, rebates } = rows[0] ?? noPayments
  const found = rows.flatMap((row) => (row.token_id === null ? [] : [shownOf(row)]))
  return {
    totals: {
      positions,
      open,
      realized: total_realized,
      unrealized: total_unrealized,
      withPnl: with_pnl,
      payments: { rewards, rebates },
    },
    shown: found.slice(0, limit),
    hasMore: found.length > limit,
  }
}

/** The blocks that an answer is based on. */
export interface BoardRow {
  readonly counted: number | null
  readonly as_of_block: number | null
}

export const blocksOf = ([row]: ReadonlyArray<BoardRow>): BoardBlocks => ({
  counted: row?.counted ?? undefined,
  block: row?.as_of_block ?? undefined,
})

/** A page that is right if the ledger can restore all positions of the blocks since the boards'. */
export interface FoundPage extends BoardBlocks {
  readonly page: WalletPage
}

/** The payments to a wallet. */
export const paidTo = (sql: SqlClient, wallet: number): Fragment =>
  sql`select ${sql.literal(paymentSums)} from maker_payment where wallet = ${wallet}`

/** Which of the matching positions `p` are shown, and in which order. */
export const pageOf = (sql: SqlClient, { order, after, limit, offset }: WalletQuery) => {
  const [towards, beyond] = [sql.literal(order), sql.literal(order === "asc" ? ">" : "<")]
  return {
    isBehind: after === undefined ? sql`true` : sql`p.token ${beyond} ${after}::int`,
    inOrder: sql`order by p.token ${towards} limit ${limit + 1} offset ${BigInt(offset)}`,
    shownInOrder: sql`order by page.token ${towards}`,
  }
}
