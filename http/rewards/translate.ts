import { Effect } from "effect"
import { exactAmount } from "#src/domain/amounts.ts"
import type { MarketRewards, RewardsPage, RewardsQuery } from "#src/upstream/clob/model.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { BadInput, Unavailable } from "../server/errors.ts"
import { type Rewards, rewardSemantics } from "./shapes.ts"

export const venueFailed = new Unavailable({
  error: "The venue does not answer at the moment.",
  hint: "Rewards come from the venue; everything else is available. Try again in a few seconds.",
})

const wrongCursor = new BadInput({
  error: 'Parameter "next_cursor": the venue does not accept it.',
  param: "next_cursor",
  hint: "Send the unchanged `next_cursor` of an earlier page, or omit it to start with the first one.",
})

export const refusal = (
  failure: UpstreamFailure,
  { cursor }: RewardsQuery,
): Effect.Effect<never, BadInput | Unavailable> =>
  cursor !== undefined && failure.status === 400
    ? Effect.fail(wrongCursor)
    : Effect.andThen(Effect.logWarning(`rewards: ${failure.message}`), venueFailed)

const amountOrNull = (amount: number | undefined) => (amount === undefined ? null : exactAmount(amount))

const shownMarket = (market: MarketRewards): (typeof Rewards.Type)["data"]["data"][number] => ({
  condition_id: `0x${market.condition}`,
  question: market.question ?? null,
  market_slug: market.slug ?? null,
  event_slug: market.eventSlug ?? null,
  image: market.image ?? null,
  native_daily_rate: exactAmount(market.nativeDailyRate),
  sponsored_daily_rate: exactAmount(market.sponsoredDailyRate),
  total_daily_rate: exactAmount(market.totalDailyRate),
  sponsors_count: market.sponsors,
  rewards_max_spread: amountOrNull(market.maxSpread),
  rewards_min_size: amountOrNull(market.minSize),
  rewards_config: market.programmes.map((programme) => ({
    id: programme.id ?? null,
    asset_address: programme.asset ?? null,
    start_date: programme.startDate ?? null,
    end_date: programme.endDate ?? null,
    rate_per_day: exactAmount(programme.dailyRate),
    total_rewards: amountOrNull(programme.total),
  })),
})

export const shownRewards = ({ rewards, next }: RewardsPage, start: number, now: number): typeof Rewards.Type => ({
  source: "clob",
  reward_semantics: rewardSemantics,
  data: { count: rewards.length, data: rewards.map(shownMarket), next_cursor: next },
  fetched_at: Math.floor(now / 1000),
  elapsed_ms: Math.max(0, Math.round(now - start)),
})
