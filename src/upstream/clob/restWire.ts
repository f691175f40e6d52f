import { Schema } from "effect"
import { Condition, known, Micro, MicroOfNumber, OptionalMicro, Token } from "./decimal.ts"
import type { ClobMarket, HistoryPoint, LastTrade, MarketRewards } from "./model.ts"
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
  side: Schema.optionalKey(Schema.NullOr(Schema.Literals(["BUY", "SELL", ""]))),
})
export const WireLastTradeOf = Schema.Struct({ ...WireLastTrade.fields, token_id: Token })

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
    Schema.Struct({ token_id: Token, outcome: Schema.String, price: MicroOfNumber, winner: Schema.Boolean }),
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
  tokens: wire.tokens.map(({ token_id, ...token }) => ({ token: token_id, ...token })),
  active: wire.active,
  closed: wire.closed,
  acceptingOrders: wire.accepting_orders,
  negRisk: wire.neg_risk,
  tickSize: wire.minimum_tick_size,
  minOrderSize: wire.minimum_order_size,
})

export const WirePage = Schema.Struct({ data: Schema.Array(Schema.Unknown), next_cursor: Schema.String })

export const WireRewards = Schema.Struct({
  condition_id: Condition,
  rewards_max_spread: MicroOfNumber,
  rewards_min_size: MicroOfNumber,
  rewards_config: Schema.Array(Schema.Struct({ rate_per_day: MicroOfNumber })),
})

export const readRewards = (wire: typeof WireRewards.Type): MarketRewards => ({
  condition: wire.condition_id,
  dailyRate: wire.rewards_config.reduce((sum, { rate_per_day }) => sum + rate_per_day, 0),
  minSize: wire.rewards_min_size,
  maxSpread: wire.rewards_max_spread,
})
