import { Schema } from "effect"
import { Condition, known, Micro, Millis, OptionalMicro, Token } from "./decimal.ts"
import type { BookSnapshot, Level } from "./model.ts"

const WireLevel = Schema.Struct({ price: Micro, size: Micro })

/** A book as it comes over HTTP and over the socket. */
export const WireBook = Schema.Struct({
  market: Condition,
  asset_id: Token,
  timestamp: Millis,
  hash: Schema.String,
  bids: Schema.Array(WireLevel),
  asks: Schema.Array(WireLevel),
  tick_size: OptionalMicro,
  min_order_size: OptionalMicro,
  last_trade_price: OptionalMicro,
})

/** The venue puts the best level last; whoever relied on that would break with it, so the levels are sorted. */
const bestFirst = (levels: ReadonlyArray<Level>, descending: boolean): ReadonlyArray<Level> =>
  levels.filter(({ size }) => size > 0).sort((a, b) => (descending ? b.price - a.price : a.price - b.price))

export const readBook = (wire: typeof WireBook.Type): BookSnapshot => ({
  token: wire.asset_id,
  condition: wire.market,
  at: wire.timestamp,
  hash: wire.hash,
  bids: bestFirst(wire.bids, true),
  asks: bestFirst(wire.asks, false),
  tickSize: known(wire.tick_size),
  smallestOrder: known(wire.min_order_size),
  lastTradePrice: known(wire.last_trade_price),
})
