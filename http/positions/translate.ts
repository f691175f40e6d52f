import { Effect } from "effect"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { secondsOf } from "#src/feed/amounts.ts"
import type { CoverageField } from "#src/ledger/coverage/shape.ts"
import type { HistoryIncomplete } from "#src/ledger/historyIsComplete.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import type { PositionFilter, ShownStatus } from "#src/positions/PositionFilter.ts"
import type { UnknownWallet } from "#src/positions/PositionLists.ts"
import type { ShownPosition } from "#src/positions/ShownPosition.ts"
import type { WalletPage } from "#src/positions/wallet/model.ts"
import { explainUnknown } from "../input/unknownName.ts"
import { NotFound, Unavailable, unavailable } from "../server/errors.ts"
import { paginationKeyOf } from "./paginationKey.ts"
import type { ClosedPosition, OnchainPosition, WalletPosition, WalletPositions } from "./shapes.ts"

const storeFailed = unavailable("positions")

const unavailablePositions = (failure: HistoryIncomplete | TxError): Effect.Effect<never, Unavailable> =>
  failure._tag === "HistoryIncomplete"
    ? Effect.fail(
        new Unavailable({
          error: "The history is still being read; positions become available when it is complete.",
          hint: "GET /readyz shows the progress.",
        }),
      )
    : storeFailed(failure)

export const notFound = (
  failure: UnknownWallet | UnknownName | HistoryIncomplete | TxError,
): Effect.Effect<never, NotFound | Unavailable> => {
  if (failure._tag === "UnknownWallet") {
    const hint = "This address never appeared on the chain. Check that it is complete."
    return Effect.fail(new NotFound({ error: "Not found.", hint }))
  }
  return failure._tag === "UnknownName"
    ? Effect.fail(new NotFound({ error: "Not found.", hint: explainUnknown(failure) }))
    : unavailablePositions(failure)
}

export interface FilterParameters {
  readonly status?: ShownStatus
  readonly tag_slug?: string
  readonly market_slug?: string
  readonly condition_id?: string
  readonly token_id?: string
  readonly min_size?: number
}

export const filterOf = ({
  status,
  tag_slug,
  market_slug,
  condition_id,
  token_id,
  min_size,
}: FilterParameters): PositionFilter => ({
  status,
  tagSlug: tag_slug,
  marketSlug: market_slug,
  conditionId: condition_id,
  tokenId: token_id,
  minSize: min_size === undefined ? undefined : BigInt(Math.round(min_size * 1_000_000)),
})

const secondsOrNull = (at: Date | null) => (at === null ? null : secondsOf(at))
/** Whole numbers of 10⁻⁶ within the precision of a number. */
const fraction = (millionths: number) => millionths / 1_000_000

/** What a cost or profit is based on. */
const basisOf = ({ isPartial }: ShownPosition): "known" | "unknown" => (isPartial ? "unknown" : "known")
/** Null if the cost is unknown. */
const ifKnown = ({ isPartial }: ShownPosition, value: number) => (isPartial ? null : value)

export const shownClosed = (position: ShownPosition): typeof ClosedPosition.Type => ({
  proxy_wallet: position.wallet,
  asset: position.token,
  condition_id: position.condition,
  basis: basisOf(position),
  avg_price: ifKnown(position, fraction(position.averagePrice)),
  total_bought: exactAmount(position.bought),
  realized_pnl: ifKnown(position, exactAmount(position.realized)),
  cur_price: fraction(position.price ?? 0),
  title: position.market.title,
  slug: position.market.slug,
  icon: position.market.image,
  event_slug: position.market.eventSlug,
  outcome: position.outcome,
  outcome_index: position.outcomeIndex ?? 0,
  opposite_outcome: position.oppositeOutcome,
  opposite_asset: position.oppositeToken,
  end_date: position.market.endsAt?.toISOString() ?? null,
  timestamp: secondsOf(position.closedAt ?? position.changedAt),
})

const common = (position: ShownPosition) => ({
  token_id: position.token,
  size: exactAmount(position.shares),
  basis: basisOf(position),
  avg_price: ifKnown(position, fraction(position.averagePrice)),
  realized_pnl: ifKnown(position, exactAmount(position.realized)),
  unrealized_pnl: ifKnown(position, exactAmount(position.unrealized)),
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

const shownOfWallet = (position: ShownPosition): typeof WalletPosition.Type => ({
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
  initial_value: position.status === "open" ? ifKnown(position, exactAmount(position.cost)) : null,
  redeemable: position.status === "redeemable",
  last_activity: secondsOf(position.changedAt),
})

/** The answer about all positions of a wallet. */
export const shownWallet = (
  address: string,
  { totals, shown, hasMore }: WalletPage,
  {
    limit,
    offset,
    filters,
    coverage,
  }: {
    readonly limit: number
    readonly offset: number
    readonly filters: FilterParameters
    readonly coverage: typeof CoverageField.Type
  },
): typeof WalletPositions.Type => {
  const last = shown.at(-1)
  return {
    wallet: address,
    source: "onchain",
    coverage,
    count: totals.positions,
    open_count: totals.open,
    closed_count: totals.positions - totals.open,
    total_realized_pnl: exactAmount(totals.realized),
    total_unrealized_pnl: exactAmount(totals.unrealized),
    total_pnl: exactAmount(totals.realized + totals.unrealized),
    positions_with_pnl: totals.withPnl,
    rewards_received: exactAmount(totals.payments.rewards),
    rebates_received: exactAmount(totals.payments.rebates),
    filtered: Object.keys(filters).length > 0,
    applied_filters: filters,
    limit,
    offset,
    has_more: hasMore,
    pagination_key: hasMore && last ? paginationKeyOf({ token: last.tokenId, wallet: last.walletId }) : null,
    positions: shown.map(shownOfWallet),
  }
}
