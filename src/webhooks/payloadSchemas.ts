import { Schema } from "effect"
import { Confirmations } from "./confirmationLevels.ts"
import { eventTypeInfos, isOnChain } from "./eventTypes.ts"
import type { WebhookEventType } from "./model.ts"

/** The `data` of each event type. */

const about = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
const text = (description: string) => about(Schema.String, description)
const textOrNull = (description: string) => about(Schema.NullOr(Schema.String), description)
const amount = (description: string) => about(Schema.Finite, description)
const texts = (description: string) => about(Schema.Array(Schema.String), description)

const wallet = text("Address in lower case")
const token = text("Token id in decimal digits")
const unixSeconds = text("Block time, in Unix seconds")

/** Market fields of every type; null if unknown. */
const market = {
  market: textOrNull("The market's question"),
  slug: textOrNull("The market's slug"),
  outcome: textOrNull("The outcome"),
  condition_id: textOrNull("0x and 64 digits"),
}
const event = { event_slug: textOrNull("Slug of the market's event") }

/** Chain position. */
const chainPosition = {
  transaction_hash: text("0x and 64 digits"),
  block_number: about(Schema.Int, "A reorganisation may move it to another block later"),
  log_index: about(Schema.Int, "Index of its log in the block"),
}

export const TradeData = Schema.Struct({
  id: text("Transaction hash and log index, joined by _"),
  maker: text("Wallet whose order was filled, the owner of this trade"),
  taker: text("Counterparty; the exchange on the taker's own row"),
  token_id: token,
  direction: about(Schema.Literals(["BUY", "SELL"]), "Side of the maker"),
  price: amount("USD per share, 0 to 1"),
  amount_usd: amount("Amount paid for the shares, in USD"),
  shares: amount("Shares traded"),
  fee_usd: amount(
    "Fees of both sides of the trade, in USD; the taker's fee is divided among its trades by shares. With wallet_addresses, in builder_trade and in first_trade: the fee of the maker's order alone. Fees taken in shares are valued at the price of their order",
  ),
  ...market,
  ...event,
  ...chainPosition,
  order_hash: text("Hash of the maker's order"),
  builder: text(
    "Code of the builder that routed the maker's order, or else the taker's where fee_usd is of both sides; zeros if none did",
  ),
  timestamp: unixSeconds,
})
export type TradeData = typeof TradeData.Type

export const PriceChangeData = Schema.Struct({
  token_id: token,
  price: amount("Price of the newest trade, USD per share"),
  previous_price: about(Schema.NullOr(Schema.Finite), "Price that this webhook was sent last; null the first time"),
  updated_at: text("Block time of that trade, in Unix milliseconds"),
  ...market,
  ...event,
  ...chainPosition,
})
export type PriceChangeData = typeof PriceChangeData.Type

const listed = {
  condition_id: market.condition_id,
  question: text("The market's question"),
  market: text("The same as question"),
  slug: text("The market's slug"),
  ...event,
  market_id: text("The venue's id of the market"),
  outcomes: texts("All outcomes"),
  token_ids: texts("By outcome; empty until they are on the chain"),
}

export const MarketResolvedData = Schema.Struct({
  ...listed,
  outcome: textOrNull("The winning outcome; null if several are paid"),
  payout_numerators: text("Payout of each outcome as a fraction of the denominator, as {1,0}"),
  payout_denominator: text("Denominator of the payouts"),
  resolved_at: textOrNull("In Unix milliseconds"),
  tags: text("As {politics,us-elections}"),
})
export type MarketResolvedData = typeof MarketResolvedData.Type

export const MarketCreatedData = Schema.Struct({
  ...listed,
  outcome: about(Schema.Null, "None yet"),
  tags: texts("Slugs of its event's tags"),
  image_url: textOrNull("Image of the market"),
  created_at: textOrNull("In Unix milliseconds"),
})
export type MarketCreatedData = typeof MarketCreatedData.Type

export const PnlChangeData = Schema.Struct({
  wallet,
  token_id: token,
  realized_pnl: amount("Total that the wallet has realized with this token, in USD"),
  change: amount("Change since this webhook was sent the total last, in USD"),
  reason: about(Schema.Literals(["sale", "merge", "refund", "resolution"]), "What realized it"),
  ...market,
  ...event,
  ...chainPosition,
  timestamp: unixSeconds,
})
export type PnlChangeData = typeof PnlChangeData.Type

const status = Schema.Literals(["none", "open", "closed", "redeemable", "redeemed"])

export const PositionStatusChangeData = Schema.Struct({
  wallet,
  token_id: token,
  from_status: about(status, "Status before"),
  to_status: about(status, "Status now; redeemable: the market is resolved and the wallet still holds shares"),
  previous_amount: amount("Shares before"),
  new_amount: amount("Shares now"),
  delta_amount: amount("The difference"),
  transfer_amount: amount("Shares that this fact moved"),
  source: about(
    Schema.Literals(["erc1155_transfer", "split", "merge", "redemption", "resolution"]),
    "What moved them; trades and conversions are transfers of shares",
  ),
  raw_event_type: text("Kind of the ledger's fact, such as fill or conversion"),
  source_event_id: text("Transaction hash and log index, joined by _"),
  ...market,
  ...event,
  ...chainPosition,
  tags: texts("Slugs of the event's tags"),
  timestamp: text("Block time, ISO 8601"),
})
export type PositionStatusChangeData = typeof PositionStatusChangeData.Type

export const RedemptionData = Schema.Struct({
  wallet,
  ...market,
  ...event,
  payout_usd: amount("Payout, in USD"),
  redeemed: about(
    Schema.Array(Schema.Struct({ token_id: token, outcome: market.outcome, shares: amount("Shares redeemed") })),
    "Redeemed tokens",
  ),
  ...chainPosition,
  timestamp: unixSeconds,
})
export type RedemptionData = typeof RedemptionData.Type

const wholeMarket = { ...market, outcome: about(Schema.Null, "Always null: all outcomes are concerned") }

/** For splits and merges. */
export const PairData = Schema.Struct({
  wallet,
  ...wholeMarket,
  ...event,
  amount: amount("Shares of each outcome, equal to the USD exchanged for them"),
  ...chainPosition,
  timestamp: unixSeconds,
})
export type PairData = typeof PairData.Type

export const ConversionData = Schema.Struct({
  wallet,
  market_id: about(
    Schema.NullOr(Schema.String),
    "Id of the event's neg-risk market, 0x and 64 digits; null in Protocol V2",
  ),
  ...wholeMarket,
  market: about(Schema.Null, "Always null: see converted"),
  slug: about(Schema.Null, "Always null: several markets are concerned"),
  condition_id: about(Schema.Null, "Always null: several markets are concerned"),
  ...event,
  amount: amount("NO shares converted of each market"),
  converted: about(
    Schema.Array(Schema.Struct({ token_id: token, ...market })),
    "NO tokens converted into YES of all other markets",
  ),
  ...chainPosition,
  timestamp: unixSeconds,
})
export type ConversionData = typeof ConversionData.Type

export const FeeEarnedData = Schema.Struct({
  receiver: text("Receiver's address in lower case"),
  fee_usd: amount("In USD; fees taken in shares are valued at the price of their order"),
  token_id: token,
  ...market,
  ...event,
  order_hash: text("Hash of the charged order"),
  ...chainPosition,
  timestamp: unixSeconds,
})
export type FeeEarnedData = typeof FeeEarnedData.Type

const activity = <const K extends string>(kind: K) => ({
  activity_type: about(Schema.Literal(kind), "The wallet's activity; the other fields are those of this type"),
})

const WalletActivityData = Schema.Union([
  Schema.Struct({ ...activity("trade"), ...TradeData.fields }),
  Schema.Struct({ ...activity("redemption"), ...RedemptionData.fields }),
  Schema.Struct({ ...activity("split"), ...PairData.fields }),
  Schema.Struct({ ...activity("merge"), ...PairData.fields }),
  Schema.Struct({ ...activity("neg_risk_conversion"), ...ConversionData.fields }),
])
export type WalletActivityData = typeof WalletActivityData.Type

export const OrderCompleteData = Schema.Struct({
  order_hash: text("0x and 64 digits"),
  maker: text("Owner of the order"),
  direction: about(Schema.Literals(["BUY", "SELL"]), "Side of the maker"),
  token_id: token,
  fill_count: about(Schema.Int, "Fills of the order so far; if it continues after all, the whole order is sent again"),
  total_usd: amount("Total of all fills, in USD"),
  ...market,
  ...event,
  fills: about(
    Schema.Array(
      Schema.Struct({
        amount_usd: amount("In USD"),
        price: amount("USD per share"),
        market: market.market,
        outcome: market.outcome,
        timestamp: unixSeconds,
      }),
    ),
    "In chain order; at most the newest 100",
  ),
  transaction_hash: text("Transaction of the last fill"),
  block_number: about(Schema.Int, "Block of the last fill"),
  log_index: about(Schema.Int, "Log index of the last fill"),
  timestamp: text("Block time of the last fill, in Unix seconds"),
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

/** The JSON body of a delivery. */
const envelopeSchema = (type: WebhookEventType) =>
  Schema.Struct({
    id: text("evt_ and a UUID: the same at every attempt, to recognize duplicates"),
    type: Schema.Literal(type),
    created_at: text("When the event was detected, ISO 8601 with fractional seconds and offset"),
    data: dataSchemas[type],
    ...(isOnChain(type) && {
      confirmations: Schema.optionalKey(
        about(
          Confirmations,
          'How many blocks followed the fact, at least, when the delivery was created; "finalized" if it was final',
        ),
      ),
    }),
  }).annotate({ title: type, description: eventTypeInfos[type].description })

/** The same as JSON Schema 2020-12; none of these schemas refers to another. */
export const envelopeJsonSchema = (type: WebhookEventType): Readonly<Record<string, unknown>> =>
  Schema.toJsonSchemaDocument(envelopeSchema(type)).schema
