import { exactAmount } from "#src/domain/amounts.ts"
import type { GamePhase } from "#src/domain/Game.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import type { TokenName } from "../Names.ts"
import type { MarketRow } from "../rows.ts"
import { enrichedToken } from "./enriched.ts"

/** A game's state as logged. */
export interface LoggedScore {
  /** Older entries have a number. */
  readonly game: string | number
  readonly slug: string | null
  /** Older entries lack it, and the phase. */
  readonly league?: string | null
  readonly phase?: GamePhase
  readonly status: string | null
  readonly score: string | null
  readonly period: string | null
  readonly elapsed: string | null
  readonly live: boolean | null
  readonly ended: boolean | null
  readonly at: number
}

export const scorePayload = ({ game, slug, league = null, phase, at, ...state }: LoggedScore) => ({
  event_type: "score",
  game_id: String(game),
  slug,
  league,
  phase: phase ?? null,
  ...state,
  updated_at: at,
})

/** A midpoint change as logged, in 10⁻⁶. */
export interface LoggedPriceMove {
  readonly bid: number
  readonly ask: number
  readonly mid: number
  readonly previous: number
}

export const priceChangePayload = (token: TokenName, { bid, ask, mid, previous }: LoggedPriceMove, at: number) => ({
  event_type: "price_change",
  ...enrichedToken(token),
  token_id: token.id,
  price: exactAmount(mid),
  previous_price: exactAmount(previous),
  best_bid: exactAmount(bid),
  best_ask: exactAmount(ask),
  updated_at: at,
})

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
