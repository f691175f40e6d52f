import type { Tag } from "#src/catalogue/Tags.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import type { BoardRow, ScopeRow, Snapshot } from "#src/leaderboards/BoardQuery.ts"
import type { BoardRows } from "#src/leaderboards/BoardRows.ts"
import { rollingDepth } from "#src/leaderboards/model.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { type MakerPayments, noPayments } from "#src/ledger/PaymentStore.ts"
import { maxScopeOffset, type Page } from "./parameters.ts"

const basisOf = ({ partial }: BoardRow) => (partial > 0 ? "unknown" : "known")

const shownRow = (row: BoardRow, rank: number) => ({
  rank,
  wallet: row.wallet,
  realized_pnl: exactAmount(row.realized),
  net_realized_pnl: exactAmount(row.realized),
  gross_profit: exactAmount(row.profit),
  gross_loss: exactAmount(row.profit - row.realized),
  unrealized_pnl: exactAmount(row.unrealized),
  total_pnl: exactAmount(row.realized + row.unrealized),
  wins: row.wins,
  losses: row.losses,
  position_count: row.positions,
  open_positions: row.open,
  total_volume: exactAmount(row.volume),
  basis: basisOf(row),
})

const decimal = (amount: number) => String(exactAmount(amount))

const shownTagRow = (row: BoardRow, rank: number) => ({
  rank,
  wallet: row.wallet,
  net_pnl: decimal(row.realized),
  realized_pnl: decimal(row.realized),
  gross_profit: decimal(row.profit),
  gross_loss: decimal(row.profit - row.realized),
  total_volume: decimal(row.volume),
  position_count: row.positions,
  basis: basisOf(row),
})

const envelopeOf = ({ rows, at, covers }: Snapshot<BoardRows>, page: Page) => ({
  rows_returned: Math.max(0, Math.min(page.limit, rows.length - page.offset)),
  has_more: page.offset + page.limit < rows.length,
  offset: page.offset,
  limit: page.limit,
  coverage: shownCoverage(covers),
  as_of: Math.floor(at / 1000),
})

/** Serialized pages cached per board, as long as the board lives. */
const pagesPerBoard = 4

/** Serialized rows of a page, as the property `name`, and the fields that follow them. */
const pagesOf = <A>(name: string, show: (row: BoardRow, rank: number) => A) => {
  const cache = new WeakMap<BoardRows, Map<string, Buffer>>()

  const serialize = (rows: BoardRows, offset: number, limit: number) =>
    Buffer.from(
      `{"${name}":${JSON.stringify(rows.slice(offset, offset + limit).map((row, index) => show(row, offset + index + 1)))},`,
    )

  const bytesOf = (rows: BoardRows, { limit, offset }: Page): Buffer => {
    const pages = cache.get(rows) ?? new Map<string, Buffer>()
    cache.set(rows, pages)
    const key = `${offset} ${limit}`
    const bytes = pages.get(key) ?? serialize(rows, offset, limit)
    pages.delete(key)
    pages.set(key, bytes)
    for (const oldest of pages.keys()) {
      if (pages.size <= pagesPerBoard) break
      pages.delete(oldest)
    }
    return bytes
  }

  return (board: Snapshot<BoardRows>, page: Page) => ({
    rows: bytesOf(board.rows, page),
    envelope: envelopeOf(board, page),
  })
}

/** The rows of a page with what the venue paid their wallets. */
export const boardPageWithPayments = (
  board: Snapshot<BoardRows>,
  page: Page,
  payments: ReadonlyMap<string, MakerPayments>,
) => {
  const rows = board.rows.slice(page.offset, page.offset + page.limit).map((row, index) => {
    const { rewards, rebates } = payments.get(row.wallet) ?? noPayments
    return {
      ...shownRow(row, page.offset + index + 1),
      rewards_received: exactAmount(rewards),
      rebates_received: exactAmount(rebates),
    }
  })
  return { rows: Buffer.from(`{"leaderboard":${JSON.stringify(rows)},`), envelope: envelopeOf(board, page) }
}

export const boardPage = pagesOf("leaderboard", shownRow)
export const tagBoardPage = pagesOf("data", shownTagRow)

const folded = (text: string) => text.normalize("NFC").toLowerCase()

/** Matches literally, without wildcards. */
const matching = (rows: ReadonlyArray<ScopeRow>, query: string | null) => {
  if (query === null) return rows
  const part = folded(query)
  return rows.filter(({ value }) => folded(value).includes(part))
}

export const shownScopes = (
  { rows }: Snapshot<ReadonlyArray<ScopeRow>>,
  query: string | null,
  { limit, offset }: Page,
) => {
  const found = matching(rows, query)
  const scopes = found.slice(offset, offset + limit).map(({ value, wallets }) => ({
    value,
    wallet_count: wallets,
    ranked_count: Math.min(wallets, rollingDepth),
  }))
  const next = offset + limit
  return {
    scopes,
    count: scopes.length,
    total_count: found.length,
    limit,
    offset,
    has_more: next < found.length && next <= maxScopeOffset,
  }
}

interface TagQuery {
  readonly details?: "true" | "false"
  readonly prefix?: string
  readonly min_markets?: number
  readonly sort?: "popularity" | "alpha"
  readonly limit?: number
}

const bySlug = (a: Tag, b: Tag) => (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0)

/** `all` is sorted by number of markets, most first. */
export const shownTags = (
  all: ReadonlyArray<Tag>,
  { details, prefix = "", min_markets = 0, sort, limit = 10_000 }: TagQuery,
) => {
  const found = all.filter(({ slug, markets }) => slug.startsWith(prefix) && markets >= min_markets)
  const chosen = (sort === "alpha" ? found.toSorted(bySlug) : found).slice(0, limit)
  const tags =
    details === "true"
      ? chosen.map(({ firstSeenAt, lastSeenAt, ...tag }) => ({
          ...tag,
          first_seen_at: firstSeenAt,
          last_seen_at: lastSeenAt,
        }))
      : chosen.map(({ slug }) => slug)
  return { count: tags.length, tags }
}
