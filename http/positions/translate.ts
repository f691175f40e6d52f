import { exactAmount } from "#src/domain/amounts.ts"
import { secondsOf } from "#src/feed/amounts.ts"
import type { ShownPosition } from "#src/positions/ShownPosition.ts"
import type { ClosedPosition, OnchainPosition, WalletPosition } from "./shapes.ts"

const secondsOrNull = (at: Date | null) => (at === null ? null : secondsOf(at))
/** Whole numbers of 10⁻⁶ that need not be exact beyond a number. */
const fraction = (millionths: number) => millionths / 1_000_000

export const shownClosed = (position: ShownPosition): typeof ClosedPosition.Type => ({
  proxy_wallet: position.wallet,
  asset: position.token,
  condition_id: position.condition,
  avg_price: fraction(position.averagePrice),
  total_bought: exactAmount(position.bought),
  realized_pnl: exactAmount(position.realized),
  cur_price: fraction(position.price ?? 0),
  title: position.market.title,
  slug: position.market.slug,
  icon: position.market.image ?? "",
  event_slug: position.market.eventSlug ?? "",
  outcome: position.outcome,
  outcome_index: position.outcomeIndex ?? 0,
  opposite_outcome: position.oppositeOutcome,
  opposite_asset: position.oppositeToken ?? "",
  end_date: position.market.endsAt?.toISOString() ?? "",
  timestamp: secondsOf(position.closedAt ?? position.changedAt),
})

const common = (position: ShownPosition) => ({
  token_id: position.token,
  size: exactAmount(position.shares),
  avg_price: fraction(position.averagePrice),
  realized_pnl: exactAmount(position.realized),
  unrealized_pnl: exactAmount(position.unrealized),
  current_price: position.price === null ? null : fraction(position.price),
  status: position.status,
  market_status: position.market.status,
  total_bought: exactAmount(position.bought),
  market: position.market.title,
  outcome: position.outcome,
  condition_id: position.condition,
  image: position.market.image,
  event_slug: position.market.eventSlug,
  last_trade_at: secondsOrNull(position.tradedAt),
  closed_at: secondsOrNull(position.closedAt),
  resolved_at: secondsOrNull(position.resolvedAt),
})

export const shownOfWallet = (position: ShownPosition): typeof WalletPosition.Type => ({
  ...common(position),
  slug: position.market.slug,
  tag_slugs: position.market.tags,
})

export const shownOnchain = (position: ShownPosition): typeof OnchainPosition.Type => ({
  wallet: position.wallet,
  ...common(position),
  market_slug: position.market.slug,
  outcome_index: position.outcomeIndex,
  opposite_asset: position.oppositeToken,
  won: position.winner === null ? null : position.winner === position.outcomeIndex,
  winning_outcome_index: position.winner,
  initial_value: position.status === "open" ? exactAmount(position.cost) : null,
  redeemable: position.status === "redeemable",
  last_activity: secondsOf(position.changedAt),
})
