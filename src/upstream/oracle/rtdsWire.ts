import { Result, Schema } from "effect"
import type { FinePrice } from "#src/domain/amounts.ts"
import { type Coin, coins, type Tick } from "#src/domain/Tick.ts"
import type { PlatformMessage, PlatformSeries } from "./platformMessage.ts"
import { coinOfSymbol, fromEighteenDecimals, fromNumber, maxExactNumber, symbolOf } from "./wireValues.ts"

interface Topic {
  readonly name: string
  readonly ofSnapshots: ReadonlyArray<string>
}

const topics: Readonly<Record<PlatformSeries, Topic>> = {
  // Its snapshots come under another topic, whose own symbols have no slash.
  spot: { name: "crypto_prices_chainlink", ofSnapshots: ["crypto_prices_chainlink", "crypto_prices"] },
  twap60: { name: "crypto_prices_twap_sixty", ofSnapshots: ["crypto_prices_twap_sixty"] },
}

/** A whole number with 18 decimals. */
const Exact = Schema.String.check(Schema.isPattern(/^[1-9]\d{0,39}$/))

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
  full_accuracy_value: Schema.optionalKey(Exact),
})
const Snapshot = Schema.Struct({ symbol: Schema.String, data: Schema.Array(Schema.Unknown) })
/** Only averages have the exact value. */
const SnapshotRow = Schema.Struct({
  timestamp: Schema.Int,
  value: Price,
  full_accuracy_value: Schema.optionalKey(Exact),
})

const decodeFrame = Schema.decodeUnknownResult(Frame)
const decodeUpdate = Schema.decodeUnknownResult(Update)
const decodeSnapshot = Schema.decodeUnknownResult(Snapshot)
const decodeRow = Schema.decodeUnknownResult(SnapshotRow)

interface Value {
  readonly value: number
  readonly full_accuracy_value?: string
}

const priceOf = ({ value, full_accuracy_value: exact }: Value) =>
  exact === undefined ? fromNumber(value) : fromEighteenDecimals(BigInt(exact))

/** The platform sends no bid and ask. */
const tickAt = (coin: Coin, at: number, price: FinePrice): Tick => ({ coin, at, price, bid: price, ask: price })

const other: PlatformMessage = { kind: "other" }

const readUpdate = (payload: unknown): Result.Result<PlatformMessage, string> => {
  const update = decodeUpdate(payload)
  if (Result.isFailure(update)) return Result.fail(update.failure.message)
  const { symbol, timestamp } = update.success
  const coin = coinOfSymbol(symbol)
  if (coin === undefined) return Result.succeed(other)
  return Result.succeed({ kind: "update", tick: tickAt(coin, timestamp, priceOf(update.success)) })
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
    else ticks.push(tickAt(coin, row.success.timestamp, priceOf(row.success)))
  }
  return Result.succeed({ kind: "snapshot", coin, ticks: ticks.sort((a, b) => a.at - b.at), unread })
}

/** Decodes a frame of the platform's socket, or returns what is wrong with it. */
export const readRtdsFrame = (
  text: string,
  series: PlatformSeries = "spot",
): Result.Result<PlatformMessage, string> => {
  const frame = decodeFrame(text)
  if (Result.isFailure(frame)) {
    const refusal = decodeRefusal(text)
    if (Result.isFailure(refusal)) return Result.fail(frame.failure.message)
    return Result.fail(`subscription refused with ${refusal.success.statusCode}: ${refusal.success.body.message}`)
  }
  const { topic: of, type, payload } = frame.success
  const topic = topics[series]
  if (type === "update" && of === topic.name) return readUpdate(payload)
  return type === "subscribe" && topic.ofSnapshots.includes(of) ? readSnapshot(payload) : Result.succeed(other)
}

/**
 * Subscribes to the prices of all coins. Repeating it returns another snapshot of each. A space inside a filter would stop
 * the updates after the snapshot.
 */
export const rtdsSubscription = (series: PlatformSeries): string => {
  const { name: topic } = topics[series]
  const filters = coins.map((coin) => JSON.stringify({ symbol: symbolOf(coin) }))
  return JSON.stringify({
    action: "subscribe",
    subscriptions: filters.map((each) => ({ topic, type: "*", filters: each })),
  })
}
