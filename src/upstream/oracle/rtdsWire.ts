import { Result, Schema } from "effect"
import type { FinePrice } from "#src/domain/amounts.ts"
import { type Coin, coins, type Tick } from "#src/domain/Tick.ts"
import type { PlatformMessage } from "./platformMessage.ts"
import { coinOfSymbol, fromEighteenDecimals, fromNumber, maxExactNumber, symbolOf } from "./wireValues.ts"

const topic = "crypto_prices_chainlink"
/** The snapshot of our subscription comes under another topic, whose own symbols have no slash. */
const snapshotTopics: ReadonlyArray<string> = [topic, "crypto_prices"]

const Price = Schema.Finite.check(Schema.isBetween({ minimum: 1e-8, maximum: maxExactNumber }))
const Frame = Schema.fromJsonString(
  Schema.Struct({ topic: Schema.String, type: Schema.String, payload: Schema.Unknown }),
)
/** The response to a subscription with an unknown topic, which silences all of its subscriptions. */
const Refusal = Schema.fromJsonString(
  Schema.Struct({ statusCode: Schema.Number, body: Schema.Struct({ message: Schema.String }) }),
)
const decodeRefusal = Schema.decodeUnknownResult(Refusal)
const Update = Schema.Struct({
  symbol: Schema.String,
  timestamp: Schema.Int,
  value: Price,
  /** A whole number with 18 decimals. */
  full_accuracy_value: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[1-9]\d{0,39}$/))),
})
const Snapshot = Schema.Struct({ symbol: Schema.String, data: Schema.Array(Schema.Unknown) })
const SnapshotRow = Schema.Struct({ timestamp: Schema.Int, value: Price })

const decodeFrame = Schema.decodeUnknownResult(Frame)
const decodeUpdate = Schema.decodeUnknownResult(Update)
const decodeSnapshot = Schema.decodeUnknownResult(Snapshot)
const decodeRow = Schema.decodeUnknownResult(SnapshotRow)

/** The platform sends no bid and ask. */
const tickAt = (coin: Coin, at: number, price: FinePrice): Tick => ({ coin, at, price, bid: price, ask: price })

const other: PlatformMessage = { kind: "other" }

const readUpdate = (payload: unknown): Result.Result<PlatformMessage, string> => {
  const update = decodeUpdate(payload)
  if (Result.isFailure(update)) return Result.fail(update.failure.message)
  const { symbol, timestamp, value, full_accuracy_value: exact } = update.success
  const coin = coinOfSymbol(symbol)
  if (coin === undefined) return Result.succeed(other)
  const price = exact === undefined ? fromNumber(value) : fromEighteenDecimals(BigInt(exact))
  return Result.succeed({ kind: "update", tick: tickAt(coin, timestamp, price) })
}

const readSnapshot = (payload: unknown): Result.Result<PlatformMessage, string> => {
  const snapshot = decodeSnapshot(payload)
  if (Result.isFailure(snapshot)) return Result.fail(snapshot.failure.message)
  const coin = coinOfSymbol(snapshot.success.symbol)
  if (coin === undefined) return Result.succeed(other)
  const ticks: Array<Tick> = []
  const unread: Array<unknown> = []
  for (const item of snapshot.success.data) {
    const row = decodeRow(item)
    if (Result.isFailure(row)) unread.push(item)
    else ticks.push(tickAt(coin, row.success.timestamp, fromNumber(row.success.value)))
  }
  return Result.succeed({ kind: "snapshot", coin, ticks: ticks.sort((a, b) => a.at - b.at), unread })
}

/** Decodes a frame of the platform's socket, or returns what is wrong with it. */
export const readRtdsFrame = (text: string): Result.Result<PlatformMessage, string> => {
  const frame = decodeFrame(text)
  if (Result.isFailure(frame)) {
    const refusal = decodeRefusal(text)
    if (Result.isFailure(refusal)) return Result.fail(frame.failure.message)
    return Result.fail(`subscription refused with ${refusal.success.statusCode}: ${refusal.success.body.message}`)
  }
  const { topic: of, type, payload } = frame.success
  if (type === "update" && of === topic) return readUpdate(payload)
  return type === "subscribe" && snapshotTopics.includes(of) ? readSnapshot(payload) : Result.succeed(other)
}

/**
 * Subscribes to the prices of all coins. Repeating it returns another snapshot of each. A space inside a filter would stop
 * the updates after the snapshot.
 */
export const rtdsSubscription = JSON.stringify({
  action: "subscribe",
  subscriptions: coins.map((coin) => ({ topic, type: "*", filters: JSON.stringify({ symbol: symbolOf(coin) }) })),
})
