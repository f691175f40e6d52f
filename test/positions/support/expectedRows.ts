import type { WalletPosition } from "#http/positions/shapes.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { averageOf, type Expected } from "./expected.ts"

export const usd = (millionths: number) => millionths / 1_000_000

export const opposite = (simulation: Simulation, { token }: Expected) => {
  const { tokens } = simulation.model.world.venue
  const [first, second] = token.market.tokens
  return tokens[token.outcome === 0 ? second : first]?.id
}

const titleOf = ({ names, legs }: Expected): string | null => names?.title ?? legs
const outcomeOf = ({ token: { market }, names }: Expected, outcome: 0 | 1): string | null => {
  if (market.isCombo) return outcome === 0 ? "Yes" : "No"
  return names === undefined ? null : (market.plan.outcomes[outcome] ?? null)
}

export const closedRow = (simulation: Simulation, expected: Expected) => {
  const { token, names } = expected
  return {
    proxy_wallet: expected.wallet,
    asset: token.id,
    condition_id: token.market.conditionId,
    basis: "known" as const,
    avg_price: averageOf(expected),
    total_bought: usd(expected.bought),
    realized_pnl: usd(expected.realized),
    cur_price: usd(expected.price ?? 0),
    title: titleOf(expected),
    slug: names?.slug ?? null,
    icon: names?.icon ?? null,
    event_slug: names?.eventSlug ?? null,
    outcome: outcomeOf(expected, token.outcome),
    outcome_index: token.outcome,
    opposite_outcome: outcomeOf(expected, token.outcome === 0 ? 1 : 0),
    opposite_asset: opposite(simulation, expected),
    end_date: names === undefined ? null : new Date(token.market.plan.endsAt).toISOString(),
    timestamp: expected.closedAt,
  }
}

const statusOf = ({ isOpen, shares, isRedeemed, price }: Expected): (typeof WalletPosition.Encoded)["status"] => {
  if (isOpen) return "open"
  if (shares > 0) return (price ?? 0) > 0 ? "redeemable" : "closed"
  return isRedeemed ? "redeemed" : "closed"
}

/** Fields shared by the lists of open and closed positions. */
export const commonRow = (expected: Expected) => ({
  token_id: expected.token.id,
  size: usd(expected.shares),
  basis: "known" as const,
  avg_price: averageOf(expected),
  realized_pnl: usd(expected.realized),
  unrealized_pnl: usd(expected.unrealized),
  current_price: expected.price === null ? null : usd(expected.price),
  status: statusOf(expected),
  total_bought: usd(expected.bought),
  market: titleOf(expected),
  outcome: outcomeOf(expected, expected.token.outcome),
  condition_id: expected.token.market.conditionId,
  image: expected.names?.icon ?? null,
  event_slug: expected.names?.eventSlug ?? null,
  closed_at: expected.closedAt,
  resolved_at: expected.resolvedAt,
})
