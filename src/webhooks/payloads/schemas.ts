import { Schema } from "effect"
import type { WebhookEventType } from "../model.ts"

/** What `data` is of each type of event. */

const about = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
const text = (description: string) => about(Schema.String, description)
const textOrNull = (description: string) => about(Schema.NullOr(Schema.String), description)
const amount = (description: string) => about(Schema.Finite, description)
const texts = (description: string) => about(Schema.Array(Schema.String), description)

const wallet = text("Address in small letters")
const token = text("The token's number in decimal digits")
const unixSeconds = text("When its block was made, in Unix seconds")

/** Of every type; null where there is no such thing. */
const market = {
  market: textOrNull("What is asked: the market's name"),
  slug: textOrNull("The market's slug"),
  outcome: textOrNull("Which answer it is about"),
  condition_id: textOrNull("0x and 64 digits"),
}
const event = { event_slug: textOrNull("Slug of the event that the market belongs to") }

/** Where on the chain it happened. */
const place = {
  transaction_hash: text("0x and 64 digits"),
  block_number: about(Schema.Int, "A reorganisation of the chain may move it to another block later"),
  log_index: about(Schema.Int, "Of its log in the block"),
}

export const TradeData = Schema.Struct({
  id: text("Transaction hash and log index, joined by _"),
  maker: text("Whose order was filled: the wallet that this trade belongs to"),
  taker: text("Who filled it; the exchange itself on the row of the order that started the match"),
  token_id: token,
  direction: about(Schema.Literals(["BUY", "SELL"]), "What the maker did"),
  price: amount("USD a share, 0 to 1"),
  amount_usd: amount("What was paid for the shares, in USD"),
  shares: amount("How many were traded"),
  fee_usd: amount("What the maker's order was charged, in USD; fees taken in shares at the price of this trade"),
  ...market,
  ...event,
  ...place,
  order_hash: text("Of the maker's order"),
  builder: text("Code of the builder that the order came through; zeros where there is none"),
  timestamp: unixSeconds,
})
export type TradeData = typeof TradeData.Type

export const PriceChangeData = Schema.Struct({
  token_id: token,
  price: amount("Of the newest trade, USD a share"),
  previous_price: about(Schema.NullOr(Schema.Finite), "What this webhook was told last; null the first time"),
  updated_at: text("When that trade's block was made, in Unix milliseconds"),
  ...market,
  ...event,
  ...place,
})
export type PriceChangeData = typeof PriceChangeData.Type

const listed = {
  condition_id: market.condition_id,
  question: text("What is asked"),
  market: text("The same"),
  slug: text("The market's slug"),
  ...event,
  market_id: text("The venue's own number of it"),
  outcomes: texts("All answers"),
  token_ids: texts("By answer; none until the chain has them"),
}

export const MarketResolvedData = Schema.Struct({
  ...listed,
  outcome: textOrNull("The answer that was right; null where several are paid"),
  payout_numerators: text("What each answer is paid, as {1,0}: this many of the denominator"),
  payout_denominator: text("What the numerators are parts of"),
  resolved_at: textOrNull("In Unix milliseconds"),
  tags: text("As {politics,us-elections}"),
})
export type MarketResolvedData = typeof MarketResolvedData.Type

export const MarketCreatedData = Schema.Struct({
  ...listed,
  outcome: about(Schema.Null, "None yet"),
  tags: texts("Slugs of its event's tags"),
  image_url: textOrNull("A picture of it"),
  created_at: textOrNull("In Unix milliseconds"),
})
export type MarketCreatedData = typeof MarketCreatedData.Type

export const PnlChangeData = Schema.Struct({
  wallet,
  token_id: token,
  realized_pnl: amount("All that the wallet has realized with this token so far, in USD"),
  change: amount("Against what this webhook was told last, in USD"),
  reason: about(Schema.Literals(["sale", "merge", "refund", "resolution"]), "What realized it"),
  ...market,
  ...event,
  ...place,
  timestamp: unixSeconds,
})
export type PnlChangeData = typeof PnlChangeData.Type

const status = Schema.Literals(["none", "open", "closed", "redeemable", "redeemed"])

export const PositionStatusChangeData = Schema.Struct({
  wallet,
  token_id: token,
  from_status: about(status, "What the position was"),
  to_status: about(status, "What it is now; redeemable: its market is resolved and the wallet still holds shares"),
  previous_amount: amount("Shares before"),
  new_amount: amount("Shares now"),
  delta_amount: amount("The difference"),
  transfer_amount: amount("Shares that this fact moved"),
  source: about(
    Schema.Literals(["erc1155_transfer", "split", "merge", "redemption", "resolution"]),
    "What moved them; trades and conversions are transfers of shares",
  ),
  raw_event_type: text("The kind of fact as the ledger names it, such as fill or conversion"),
  source_event_id: text("Transaction hash and log index, joined by _"),
  ...market,
  ...event,
  ...place,
  tags: texts("Slugs of the event's tags"),
  timestamp: text("When its block was made, ISO 8601"),
})
export type PositionStatusChangeData = typeof PositionStatusChangeData.Type

export const RedemptionData = Schema.Struct({
  wallet,
  ...market,
  ...event,
  payout_usd: amount("What it was paid, in USD"),
  redeemed: about(
    Schema.Array(
      Schema.Struct({ token_id: token, outcome: market.outcome, shares: amount("How many were handed in") }),
    ),
    "What was handed in",
  ),
  ...place,
  timestamp: unixSeconds,
})
export type RedemptionData = typeof RedemptionData.Type

const wholeMarket = { ...market, outcome: about(Schema.Null, "It is about all of them") }

/** Of splits and merges. */
export const PairData = Schema.Struct({
  wallet,
  ...wholeMarket,
  ...event,
  amount: amount("Of each outcome so many shares, against as many USD"),
  ...place,
  timestamp: unixSeconds,
})
export type PairData = typeof PairData.Type

export const ConversionData = Schema.Struct({
  wallet,
  market_id: text("Of the event's markets together, 0x and 64 digits"),
  ...wholeMarket,
  market: about(Schema.Null, "It is about several: see converted"),
  slug: about(Schema.Null, "It is about several"),
  condition_id: about(Schema.Null, "It is about several"),
  ...event,
  amount: amount("NO shares given up of each of the markets"),
  converted: about(
    Schema.Array(Schema.Struct({ token_id: token, ...market })),
    "The NO sides that were given up, for YES of all others",
  ),
  ...place,
  timestamp: unixSeconds,
})
export type ConversionData = typeof ConversionData.Type

export const FeeEarnedData = Schema.Struct({
  receiver: text("Who was paid, address in small letters"),
  fee_usd: amount("In USD; fees taken in shares at the price of their order"),
  token_id: token,
  ...market,
  ...event,
  order_hash: text("Of the order that was charged"),
  ...place,
  timestamp: unixSeconds,
})
export type FeeEarnedData = typeof FeeEarnedData.Type

const activity = <const K extends string>(kind: K) => ({
  activity_type: about(Schema.Literal(kind), "What the wallet did; the other fields are those of this type"),
})

export const WalletActivityData = Schema.Union([
  Schema.Struct({ ...activity("trade"), ...TradeData.fields }),
  Schema.Struct({ ...activity("redemption"), ...RedemptionData.fields }),
  Schema.Struct({ ...activity("split"), ...PairData.fields }),
  Schema.Struct({ ...activity("merge"), ...PairData.fields }),
  Schema.Struct({ ...activity("neg_risk_conversion"), ...ConversionData.fields }),
])
export type WalletActivityData = typeof WalletActivityData.Type

export const OrderCompleteData = Schema.Struct({
  order_hash: text("0x and 64 digits"),
  maker: text("Whose order it is"),
  direction: about(Schema.Literals(["BUY", "SELL"]), "What the maker did"),
  token_id: token,
  fill_count: about(Schema.Int, "Fills of the order so far; if it goes on after all, it is told again as a whole"),
  total_usd: amount("Of all fills, in USD"),
  ...market,
  ...event,
  fills: about(
    Schema.Array(
      Schema.Struct({
        amount_usd: amount("In USD"),
        price: amount("USD a share"),
        market: market.market,
        outcome: market.outcome,
        timestamp: unixSeconds,
      }),
    ),
    "In their order; of more than 100 the newest 100",
  ),
  transaction_hash: text("Of the last fill"),
  block_number: about(Schema.Int, "Of the last fill"),
  log_index: about(Schema.Int, "Of the last fill"),
  timestamp: text("When the block of the last fill was made, in Unix seconds"),
})
export type OrderCompleteData = typeof OrderCompleteData.Type

export const dataSchemas = {
  trade: TradeData,
  large_trade: TradeData,
  builder_trade: TradeData,
  first_trade: TradeData,
  price_change: PriceChangeData,
  market_resolved: MarketResolvedData,
  market_created: MarketCreatedData,
  pnl_change: PnlChangeData,
  position_status_change: PositionStatusChangeData,
  redemption: RedemptionData,
  split: PairData,
  merge: PairData,
  neg_risk_conversion: ConversionData,
  fee_earned: FeeEarnedData,
  wallet_activity: WalletActivityData,
  order_complete: OrderCompleteData,
} as const satisfies Readonly<Record<WebhookEventType, Schema.Top>>
