import { Schema } from "effect"
import { Wallet } from "#src/domain/Wallet.ts"
import {
  Condition,
  isToken,
  known,
  Micro,
  MicroOfNumber,
  OptionalMicro,
  OptionalMicroOrNumber,
  Token,
} from "./decimal.ts"
import type { ClobMarket, HistoryPoint, LastTrade, MakerRebate, MarketRewards } from "./model.ts"
import { sideOf } from "./socketWire.ts"

export const WirePrice = Schema.Struct({ price: Micro })
export const WirePrices = Schema.Record(Schema.String, Schema.Struct({ BUY: OptionalMicro, SELL: OptionalMicro }))

/** Documented as `mid_price`, observed as `mid`. */
export const WireMidpoint = Schema.Struct({ mid: OptionalMicro, mid_price: OptionalMicro })
export const readMidpoint = ({ mid, mid_price }: typeof WireMidpoint.Type) => known(mid) ?? known(mid_price)

export const WireSpread = Schema.Struct({ spread: OptionalMicro })
export const WireByToken = Schema.Record(Schema.String, Schema.Union([Micro, Schema.Literal("")]))

export const WireLastTrade = Schema.Struct({
  price: OptionalMicro,
  side: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isPattern(/^(buy|sell|)$/i)))),
})
/** The official clients also know the token by its other name. */
export const WireLastTradeOf = Schema.Struct({
  ...WireLastTrade.fields,
  token_id: Schema.optionalKey(Token),
  asset_id: Schema.optionalKey(Token),
})

/** A token without trades has a price, but no side. */
export const readLastTrade = (token: string, { price, side }: typeof WireLastTrade.Type): LastTrade | undefined => {
  const micro = known(price)
  if (micro === undefined || side === "" || side === null || side === undefined) return undefined
  return { token, price: micro, side: sideOf(side) }
}

const WirePoints = Schema.Array(Schema.Struct({ t: Schema.Int, p: MicroOfNumber }))
export const WireHistory = Schema.Struct({ history: WirePoints })
export const WireHistories = Schema.Struct({ history: Schema.Record(Schema.String, WirePoints) })
export const readPoints = (points: typeof WirePoints.Type): ReadonlyArray<HistoryPoint> =>
  points.map(({ t, p }) => ({ at: t * 1000, price: p }))

export const WireMarket = Schema.Struct({
  condition_id: Condition,
  question: Schema.String,
  market_slug: Schema.String,
  tokens: Schema.Array(
    Schema.Struct({ token_id: Schema.String, outcome: Schema.String, price: MicroOfNumber, winner: Schema.Boolean }),
  ),
  active: Schema.Boolean,
  closed: Schema.Boolean,
  accepting_orders: Schema.Boolean,
  neg_risk: Schema.Boolean,
  minimum_tick_size: MicroOfNumber,
  minimum_order_size: MicroOfNumber,
})

export const readMarket = (wire: typeof WireMarket.Type): ClobMarket => ({
  condition: wire.condition_id,
  question: wire.question,
  slug: wire.market_slug,
  // Markets from before the order book have outcomes without tokens.
  tokens: wire.tokens.flatMap(({ token_id, ...token }) => (isToken(token_id) ? [{ token: token_id, ...token }] : [])),
  active: wire.active,
  closed: wire.closed,
  acceptingOrders: wire.accepting_orders,
  negRisk: wire.neg_risk,
  tickSize: wire.minimum_tick_size,
  minOrderSize: wire.minimum_order_size,
})

export const WirePage = Schema.Struct({
  data: Schema.Array(Schema.Unknown),
  next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
})

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

export const WireRewards = Schema.Struct({
  condition_id: Condition,
  question: text,
  market_slug: text,
  event_slug: text,
  image: text,
  rewards_max_spread: OptionalMicroOrNumber,
  rewards_min_size: OptionalMicroOrNumber,
  native_daily_rate: OptionalMicroOrNumber,
  sponsored_daily_rate: OptionalMicroOrNumber,
  total_daily_rate: OptionalMicroOrNumber,
  sponsors_count: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  rewards_config: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          id: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.Int, Schema.String]))),
          asset_address: text,
          start_date: text,
          end_date: text,
          rate_per_day: OptionalMicroOrNumber,
          total_rewards: OptionalMicroOrNumber,
        }),
      ),
    ),
  ),
})

export const readRewards = (wire: typeof WireRewards.Type): MarketRewards => {
  const programmes = (wire.rewards_config ?? []).map((config) => ({
    id: config.id ?? undefined,
    asset: config.asset_address ?? undefined,
    startDate: config.start_date ?? undefined,
    endDate: config.end_date ?? undefined,
    dailyRate: known(config.rate_per_day) ?? 0,
    total: known(config.total_rewards),
  }))
  const native = known(wire.native_daily_rate) ?? programmes.reduce((sum, { dailyRate }) => sum + dailyRate, 0)
  const sponsored = known(wire.sponsored_daily_rate) ?? 0
  return {
    condition: wire.condition_id,
    question: wire.question ?? undefined,
    slug: wire.market_slug ?? undefined,
    eventSlug: wire.event_slug ?? undefined,
    image: wire.image ?? undefined,
    minSize: known(wire.rewards_min_size),
    maxSpread: known(wire.rewards_max_spread),
    nativeDailyRate: native,
    sponsoredDailyRate: sponsored,
    totalDailyRate: known(wire.total_daily_rate) ?? native + sponsored,
    sponsors: wire.sponsors_count ?? 0,
    programmes,
  }
}

export const WireRebates = Schema.Array(
  Schema.Struct({
    date: Schema.String,
    condition_id: Condition,
    asset_address: Wallet,
    maker_address: Wallet,
    rebated_fees_usdc: Schema.Union([Micro, MicroOfNumber]),
  }),
)

export const readRebates = (wire: typeof WireRebates.Type): ReadonlyArray<MakerRebate> =>
  wire.map((row) => ({
    date: row.date,
    condition: row.condition_id,
    asset: row.asset_address,
    maker: row.maker_address,
    usd: row.rebated_fees_usdc,
  }))
