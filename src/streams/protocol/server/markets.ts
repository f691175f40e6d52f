import { Schema } from "effect"
import { event } from "./event.ts"
import { AmountOrNull, maybe, sample, Text, TextOrNull, Texts, TokenId, WholeOrNull } from "./fields.ts"

const { condition, moment, token } = sample

const TimeOrNull = Schema.NullOr(Schema.Union([Schema.Finite, Text]))
const TagsOrNull = Schema.NullOr(Schema.Union([Texts, Text]))

const market = {
  condition_id: TextOrNull,
  question: TextOrNull,
  slug: TextOrNull,
  event_slug: TextOrNull,
  tags: TagsOrNull,
}
const shown = {
  condition_id: condition,
  question: "Will it rain tomorrow?",
  slug: "will-it-rain-tomorrow",
  event_slug: "weather-tomorrow",
  tags: ["weather"],
}

export const marketCreated = event(
  "market_created",
  "The venue has a new market.",
  { ...market, image_url: TextOrNull, created_at: TimeOrNull },
  { ...shown, image_url: null, created_at: moment },
)

export const marketResolved = event(
  "market_resolved",
  "The venue says how a market ended.",
  {
    ...market,
    payout_numerators: Schema.NullOr(Schema.Union([Text, Schema.Array(Schema.Finite), Texts])),
    payout_denominator: Schema.NullOr(Schema.Union([Text, Schema.Finite])),
    resolved_at: TimeOrNull,
  },
  { ...shown, payout_numerators: "{1,0}", payout_denominator: "1", resolved_at: String(moment) },
)

export const priceChange = event(
  "price_change",
  "The price that the venue shows for a token moved.",
  {
    token_id: TokenId,
    price: AmountOrNull,
    updated_at: TimeOrNull,
    market: TextOrNull,
    slug: TextOrNull,
    outcome: TextOrNull,
    condition_id: TextOrNull,
  },
  {
    token_id: token,
    price: 0.43,
    updated_at: moment,
    market: "Will it rain tomorrow?",
    slug: "will-it-rain-tomorrow",
    outcome: "Yes",
    condition_id: condition,
  },
)

export const score = event(
  "score",
  "The score, the period or the state of a game changed.",
  {
    game_id: Schema.Union([Schema.Finite, Text]),
    slug: maybe(TextOrNull),
    league: maybe(TextOrNull),
    score: TextOrNull,
    period: TextOrNull,
    elapsed: TextOrNull,
    status: maybe(TextOrNull),
    live: maybe(Schema.NullOr(Schema.Boolean)),
    ended: maybe(Schema.NullOr(Schema.Boolean)),
    event_id: maybe(Schema.Union([WholeOrNull, Text])),
    updated_at: maybe(TimeOrNull),
  },
  { game_id: 20_114, score: "2-1", period: "2H", elapsed: "71", live: true, ended: false },
)
