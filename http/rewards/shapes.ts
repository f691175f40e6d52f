import { Schema } from "effect"
import { dollars } from "../openapi/described.ts"

const text = Schema.NullOr(Schema.String)

const Programme = Schema.Struct({
  id: Schema.NullOr(Schema.Union([Schema.Int, Schema.String])),
  asset_address: text.annotate({ description: "What is paid" }),
  start_date: text,
  end_date: text,
  rate_per_day: dollars("For all makers together"),
  total_rewards: Schema.NullOr(Schema.Finite),
}).annotate({ identifier: "RewardProgramme" })

const MarketRewards = Schema.Struct({
  condition_id: Schema.String,
  question: text.annotate({ description: "Names only where the venue gives them: for one market" }),
  market_slug: text,
  event_slug: text,
  image: text,
  native_daily_rate: dollars("What the venue pays per day"),
  sponsored_daily_rate: dollars("What sponsors pay per day"),
  total_daily_rate: dollars("Both"),
  sponsors_count: Schema.Int,
  rewards_max_spread: Schema.NullOr(Schema.Finite).annotate({
    description: "Orders count up to this many cents from the middle",
  }),
  rewards_min_size: Schema.NullOr(Schema.Finite).annotate({ description: "Orders count from this many shares on" }),
  rewards_config: Schema.Array(Programme),
}).annotate({ identifier: "MarketRewards" })

export const rewardSemantics = "daily_rates_for_all_makers_of_a_market"

export const Rewards = Schema.Struct({
  source: Schema.Literal("clob"),
  reward_semantics: Schema.Literal(rewardSemantics).annotate({
    description: "Rates are what all makers of a market share per day, not what a wallet earned",
  }),
  data: Schema.Struct({
    count: Schema.Int.annotate({ description: "Markets on this page" }),
    data: Schema.Array(MarketRewards),
    next_cursor: Schema.String.annotate({
      description: "The venue's `next_cursor` of the next page; `LTE=` at the end",
    }),
  }),
  fetched_at: Schema.Int.annotate({ description: "When the venue answered, Unix seconds" }),
  elapsed_ms: Schema.Int.annotate({ description: "Milliseconds that the venue took" }),
}).annotate({ identifier: "RewardList" })
