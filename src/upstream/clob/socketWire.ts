import { Result, Schema } from "effect"
import { readBook, rowsOf, WireBook } from "./bookWire.ts"
import {
  Condition,
  isMicro,
  isToken,
  known,
  Micro,
  OptionalMicro,
  OptionalMillis,
  readMicro,
  Token,
} from "./decimal.ts"
import type { ClobEvent, TradeSide } from "./model.ts"

/** In any case. */
const WireSide = Schema.String.check(Schema.isPattern(/^(buy|sell)$/i))

const OptionalText = Schema.optionalKey(Schema.NullOr(Schema.String))

interface WireChange {
  readonly asset_id: string
  readonly price: string
  readonly size: string
  readonly side: string
  readonly best_bid?: string | null
  readonly best_ask?: string | null
}

/** Without a price the venue sends an empty string or null, or leaves the field out. */
const isKnown = (text: string | null | undefined): text is string => text !== undefined && text !== null && text !== ""
const isBest = (text: string | null | undefined) => !isKnown(text) || isMicro(text)
const readBest = (text: string | null | undefined) => (isKnown(text) ? readMicro(text) : undefined)

const isSide = (side: unknown) => typeof side === "string" && /^(buy|sell)$/i.test(side)

const WireChanges = Schema.Struct({
  timestamp: OptionalMillis,
  price_changes: rowsOf<WireChange>(
    ({ asset_id, price, size, side, best_bid, best_ask }) =>
      isToken(asset_id) && isMicro(price) && isMicro(size) && isSide(side) && isBest(best_bid) && isBest(best_ask),
    "changes with asset_id, side, and price, size and best prices in decimal digits",
  ),
})

const WireTrade = Schema.Struct({
  asset_id: Token,
  price: Micro,
  size: OptionalMicro,
  side: WireSide,
  timestamp: OptionalMillis,
  fee_rate_bps: OptionalText,
  transaction_hash: OptionalText,
})

const WireTickSize = Schema.Struct({ asset_id: Token, new_tick_size: Micro, timestamp: OptionalMillis })

const WireBest = Schema.Struct({
  asset_id: Token,
  best_bid: OptionalMicro,
  best_ask: OptionalMicro,
  timestamp: OptionalMillis,
})

const notice = {
  market: Condition,
  assets_ids: Schema.optionalKey(Schema.NullOr(Schema.Array(Token))),
  timestamp: OptionalMillis,
}
const WireNewMarket = Schema.Struct({ ...notice, slug: OptionalText, question: OptionalText })
const WireResolved = Schema.Struct({ ...notice, winning_asset_id: OptionalText })

export const sideOf = (side: string): TradeSide => (side.toLowerCase() === "buy" ? "buy" : "sell")

type Reader = (value: unknown) => Result.Result<ClobEvent, string>

const reader = <A>(schema: Schema.Decoder<A>, read: (wire: A) => ClobEvent): Reader => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value) => Result.mapBoth(decode(value), { onSuccess: read, onFailure: (error) => error.message })
}

const noticeOf = ({ market, assets_ids, timestamp }: Schema.Struct.Type<typeof notice>) => ({
  condition: market,
  tokens: assets_ids ?? [],
  at: known(timestamp),
})

const readers: ReadonlyMap<unknown, Reader> = new Map([
  ["book", reader(WireBook, (wire) => ({ kind: "book", book: readBook(wire) }))],
  [
    "price_change",
    reader(WireChanges, ({ timestamp, price_changes }) => ({
      kind: "changes",
      at: known(timestamp),
      changes: price_changes.map(({ asset_id, price, size, side, best_bid, best_ask }) => ({
        token: asset_id,
        side: sideOf(side) === "buy" ? "bid" : "ask",
        price: readMicro(price),
        size: readMicro(size),
        bestBid: readBest(best_bid),
        bestAsk: readBest(best_ask),
      })),
    })),
  ],
  [
    "last_trade_price",
    reader(WireTrade, ({ asset_id, price, size, side, timestamp, fee_rate_bps, transaction_hash }) => ({
      kind: "trade",
      at: known(timestamp),
      token: asset_id,
      price,
      size: known(size),
      side: sideOf(side),
      feeRate: fee_rate_bps || undefined,
      transaction: transaction_hash || undefined,
    })),
  ],
  [
    "tick_size_change",
    reader(WireTickSize, ({ asset_id, new_tick_size, timestamp }) => ({
      kind: "tick-size",
      at: known(timestamp),
      token: asset_id,
      tickSize: new_tick_size,
    })),
  ],
  [
    "best_bid_ask",
    reader(WireBest, ({ asset_id, best_bid, best_ask, timestamp }) => ({
      kind: "best",
      at: known(timestamp),
      token: asset_id,
      bid: known(best_bid),
      ask: known(best_ask),
    })),
  ],
  [
    "new_market",
    reader(WireNewMarket, (wire) => ({
      kind: "new-market",
      slug: wire.slug || undefined,
      question: wire.question || undefined,
      ...noticeOf(wire),
    })),
  ],
  [
    "market_resolved",
    reader(WireResolved, (wire) => ({
      kind: "resolved",
      winner: wire.winning_asset_id || undefined,
      ...noticeOf(wire),
    })),
  ],
])

export interface DecodedFrame {
  readonly events: ReadonlyArray<ClobEvent>
  /** Unknown event types. */
  readonly unknown: ReadonlyArray<string>
  /** Reasons why parts of the frame were undecodable. Their content is lost. */
  readonly broken: ReadonlyArray<string>
}

const parsed = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: () => "not JSON" })

/** A frame is one object or a list of them. */
export const decodeFrame = (text: string): DecodedFrame => {
  const events: Array<ClobEvent> = []
  const unknown: Array<string> = []
  const broken: Array<string> = []
  const frame = parsed(text)
  if (Result.isFailure(frame)) return { events, unknown, broken: [frame.failure] }
  for (const each of Array.isArray(frame.success) ? frame.success : [frame.success]) {
    const type: unknown = typeof each === "object" && each !== null ? each.event_type : undefined
    const read = readers.get(type)
    if (read !== undefined) {
      const event = read(each)
      if (Result.isSuccess(event)) events.push(event.success)
      else broken.push(`${type}: ${event.failure}`)
    } else if (typeof type === "string") unknown.push(type)
    else broken.push("no event_type")
  }
  return { events, unknown, broken }
}
