import { exactAmount } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import type { MarketRow } from "../rows.ts"

const marketPayload = (row: MarketRow) => ({
  market_id: String(row.id),
  condition_id: row.condition === null ? null : `0x${row.condition}`,
  question: row.question,
  slug: row.slug,
  event_slug: row.event_slug,
  tags: row.tags ?? [],
  image_url: row.image,
  outcomes: row.outcomes,
  token_ids: row.tokens.map(tokenOfHex),
})

export const createdPayload = (row: MarketRow) => ({
  event_type: "market_created",
  ...marketPayload(row),
  created_at: row.created_at?.getTime() ?? null,
})

export const resolvedPayload = (row: MarketRow) => {
  const winners = (row.payouts ?? []).flatMap((payout, outcome) => (payout > 0 ? [outcome] : []))
  const winner = winners.length === 1 ? winners[0] : undefined
  return {
    event_type: "market_resolved",
    ...marketPayload(row),
    outcome_prices: row.payouts?.map(exactAmount) ?? null,
    winning_outcome: winner === undefined ? null : (row.outcomes[winner] ?? null),
    resolved_at: row.resolved_at?.getTime() ?? null,
  }
}
