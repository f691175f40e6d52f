import { Schema } from "effect"
import { gamePhases } from "#src/domain/Game.ts"
import { enrichment, event, sampleEnrichment } from "./event.ts"
import { Amount, Flag, Millis, sample, Text, TextOrNull, Texts, TokenId } from "./fields.ts"

const { condition, moment, otherToken, token } = sample

const MillisOrNull = Schema.NullOr(Millis)

const market = {
  market_id: Text,
  condition_id: TextOrNull,
  question: TextOrNull,
  slug: TextOrNull,
  event_slug: TextOrNull,
  tags: Texts,
  image_url: TextOrNull,
  outcomes: Texts,
  token_ids: Texts,
}
const sampleMarket = {
  market_id: "51234",
  condition_id: condition,
  question: "Will it rain tomorrow?",
  slug: "will-it-rain-tomorrow",
  event_slug: "weather-tomorrow",
  tags: ["weather"],
  image_url: null,
  outcomes: ["Yes", "No"],
  token_ids: [token, otherToken],
}

export const marketCreated = event(
  "market_created",
  "The venue listed a new market.",
  { ...market, created_at: MillisOrNull },
  { ...sampleMarket, created_at: moment },
)

export const marketResolved = event(
  "market_resolved",
  "The venue resolved a market.",
  {
    ...market,
    outcome_prices: Schema.NullOr(Schema.Array(Amount)).annotate({ description: "Payout per share of each outcome" }),
    winning_outcome: TextOrNull,
    resolved_at: MillisOrNull,
  },
  { ...sampleMarket, outcome_prices: [1, 0], winning_outcome: "Yes", resolved_at: moment },
)

export const priceChange = event(
  "price_change",
  "The midpoint of a token's order book moved.",
  {
    ...enrichment,
    token_id: TokenId,
    price: Amount,
    previous_price: Amount,
    best_bid: Amount,
    best_ask: Amount,
    updated_at: Millis,
  },
  {
    ...sampleEnrichment,
    token_id: token,
    price: 0.43,
    previous_price: 0.41,
    best_bid: 0.42,
    best_ask: 0.44,
    updated_at: moment,
  },
)

export const score = event(
  "score",
  "The score, the period or the state of a game changed.",
  {
    game_id: Text,
    slug: TextOrNull,
    league: TextOrNull,
    phase: Schema.NullOr(Schema.Literals(gamePhases)).annotate({
      description: "What the game is doing; null in events from before it was recorded",
    }),
    status: TextOrNull.annotate({ description: "The venue's own word" }),
    score: TextOrNull,
    period: TextOrNull,
    elapsed: TextOrNull,
    live: Schema.NullOr(Flag),
    ended: Schema.NullOr(Flag),
    updated_at: Millis,
  },
  {
    game_id: "20114",
    slug: "sea-lions-at-otters",
    league: "nba",
    phase: "live",
    status: "inprogress",
    score: "2-1",
    period: "2H",
    elapsed: "71",
    live: true,
    ended: false,
    updated_at: moment,
  },
)
