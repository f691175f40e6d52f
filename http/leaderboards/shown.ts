import type { Tag } from "#src/catalogue/Tags.ts"
import { exactAmount } from "#src/crypto/exact.ts"
import type { BoardRow, ScopeRow, Snapshot } from "#src/leaderboards/asked.ts"
import { rollingDepth } from "#src/leaderboards/model.ts"
import { deepestScope } from "./limits.ts"
import type { Page } from "./readBoard.ts"

export const shownRow = (row: BoardRow, rank: number) => ({
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
})

const decimal = (amount: number) => String(exactAmount(amount))

export const shownTagRow = (row: BoardRow, rank: number) => ({
  rank,
  wallet: row.wallet,
  net_pnl: decimal(row.realized),
  realized_pnl: decimal(row.realized),
  gross_profit: decimal(row.profit),
  gross_loss: decimal(row.profit - row.realized),
  total_volume: decimal(row.volume),
  position_count: row.positions,
})

/** The rows of a page, and what is said about it beside them. */
export const paged = <A>(
  { rows, at }: Snapshot<BoardRow>,
  { limit, offset }: Page,
  show: (row: BoardRow, rank: number) => A,
) => {
  const shown = rows.slice(offset, offset + limit).map((row, place) => show(row, offset + place + 1))
  return {
    rows: shown,
    envelope: {
      rows_returned: shown.length,
      has_more: offset + limit < rows.length,
      offset,
      limit,
      as_of: Math.floor(at / 1000),
    },
  }
}

const folded = (text: string) => text.normalize("NFC").toLowerCase()

/** Taken literally: no character of it means anything. */
const matching = (rows: ReadonlyArray<ScopeRow>, query: string | null) => {
  if (query === null) return rows
  const part = folded(query)
  return rows.filter(({ value }) => folded(value).includes(part))
}

export const shownScopes = ({ rows }: Snapshot<ScopeRow>, query: string | null, { limit, offset }: Page) => {
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
    has_more: next < found.length && next <= deepestScope,
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

/** `all` has those of most markets first. */
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
