import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import { winnerOf } from "#src/feed/payloads/resolution.ts"
import type { Holder as TopHolder } from "#src/markets/HolderStore.ts"
import type { PricedToken } from "#src/markets/Markets.ts"
import type { ShownMarket } from "#src/markets/ShownMarket.ts"
import { explainUnknown } from "../input/unknownName.ts"
import { NotFound, type Unavailable, unavailable } from "../server/errors.ts"
import type { Condition, Holder, Market, TokenInfo } from "./shapes.ts"

export const storeFailed = unavailable("markets")

export const refusal = (failure: UnknownName | SqlError): Effect.Effect<never, NotFound | Unavailable> =>
  failure._tag === "UnknownName"
    ? Effect.fail(new NotFound({ error: "Not found.", hint: explainUnknown(failure) }))
    : storeFailed(failure)

export const shownTime = (at: Date | null | undefined): string | null => at?.toISOString() ?? null
const shownDollars = (amount: bigint | null) => (amount === null ? null : decimalAmount(amount))

/** The sum of the payouts; null until the condition is resolved. */
export const denominatorOf = ({ payouts }: ShownMarket): string | null =>
  payouts === null ? null : String(payouts.reduce((sum, each) => sum + each, 0n))

export const shownPrice = (id: string, { token, price }: PricedToken) => ({
  token_id: id,
  price: price === undefined ? null : exactAmount(price.price),
  resolved: token.isResolved,
  source: price?.source ?? null,
  updated_at: shownTime(price?.at),
})

export const shownToken = (id: string, priced: PricedToken): typeof TokenInfo.Type => {
  const { market, outcomeIndex } = priced.token
  return {
    ...shownPrice(id, priced),
    condition_id: market.condition,
    outcome: outcomeIndex === null ? null : (market.outcomes[outcomeIndex] ?? null),
    outcome_index: outcomeIndex,
    question: market.title,
    slug: market.slug,
    category: market.category,
    tag_slugs: market.tags,
  }
}

const listingOf = (market: ShownMarket) => ({
  question: market.title,
  slug: market.slug,
  outcomes: market.outcomes,
  category: market.category,
  active: market.active,
  closed: market.closed,
  neg_risk: market.negRisk,
  end_date: shownTime(market.endsAt),
  event_slug: market.eventSlug,
  event_title: market.eventTitle,
})

export const shownMarket = (market: ShownMarket): typeof Market.Type => ({
  condition_id: market.condition,
  ...listingOf(market),
  volume_all_time: shownDollars(market.volume),
  liquidity: shownDollars(market.liquidity),
  tag_slugs: market.tags,
  token_ids: market.tokens,
  token_outcomes: market.tokens.flatMap((_, index) => market.outcomes[index] ?? []),
  winning_outcome_index: winnerOf(market.payouts),
  resolved_at: shownTime(market.resolvedAt),
})

type ShownCondition = Omit<typeof Condition.Type, "as_of" | "coverage" | "elapsed_ms">

export const shownCondition = (id: string, market: ShownMarket): ShownCondition => ({
  id,
  position_ids: market.tokens,
  payout_numerators: market.payouts?.map(Number) ?? [],
  payout_denominator: denominatorOf(market),
  ...listingOf(market),
  liquidity: shownDollars(market.liquidity),
  volume: shownDollars(market.volume),
  tags: market.tags,
  winning_outcome_index: winnerOf(market.payouts),
  resolved_at: shownTime(market.resolvedAt),
})

export const shownHolder = (holder: TopHolder): typeof Holder.Type => ({
  token_id: holder.token,
  outcome: holder.outcome,
  outcome_index: holder.outcomeIndex,
  rank: holder.rank,
  wallet: holder.wallet,
  shares: exactAmount(holder.shares),
  value: holder.value === null ? null : exactAmount(holder.value),
  price: holder.price === null ? null : exactAmount(holder.price),
})
