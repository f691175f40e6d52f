import { Schema } from "effect"
import { Condition, isMicro, known, OptionalMicro, OptionalMillis, readMicro, Token } from "./decimal.ts"
import type { BookSnapshot, Level } from "./model.ts"

/**
 * A list whose rows are checked by hand. Books and their changes have hundreds of rows many times a second, and a schema
 * would block the process for too long.
 */
export const rowsOf = <Row>(isRow: (row: Partial<Row>) => boolean, expected: string) =>
  Schema.declare(
    (value): value is ReadonlyArray<Row> =>
      Array.isArray(value) && value.every((row) => typeof row === "object" && row !== null && isRow(row)),
    { expected },
  )

interface WireLevel {
  readonly price: string
  readonly size: string
}

const WireLevels = rowsOf<WireLevel>(
  ({ price, size }) => isMicro(price) && isMicro(size),
  "levels with price and size in decimal digits",
)

/** A book, over HTTP and over the socket. */
export const WireBook = Schema.Struct({
  market: Condition,
  asset_id: Token,
  timestamp: OptionalMillis,
  hash: Schema.optionalKey(Schema.NullOr(Schema.String)),
  bids: WireLevels,
  asks: WireLevels,
  tick_size: OptionalMicro,
  min_order_size: OptionalMicro,
  last_trade_price: OptionalMicro,
})

/** The venue currently sends the best level last; sorting does not rely on that. */
const bestFirst = (levels: ReadonlyArray<WireLevel>, descending: boolean): ReadonlyArray<Level> =>
  levels
    .map(({ price, size }) => ({ price: readMicro(price), size: readMicro(size) }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => (descending ? b.price - a.price : a.price - b.price))

export const readBook = (wire: typeof WireBook.Type): BookSnapshot => ({
  token: wire.asset_id,
  condition: wire.market,
  at: known(wire.timestamp),
  hash: wire.hash || undefined,
  bids: bestFirst(wire.bids, true),
  asks: bestFirst(wire.asks, false),
  tickSize: known(wire.tick_size),
  minOrderSize: known(wire.min_order_size),
  lastTradePrice: known(wire.last_trade_price),
})
