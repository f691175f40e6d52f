import { Redacted, Result, Schema } from "effect"
import { type Coin, coins, type Tick } from "#src/domain/Tick.ts"
import type { PolyboltCredentials } from "#src/upstream/Endpoints.ts"
import type { PlatformMessage, PlatformSeries } from "./platformMessage.ts"
import { fromDecimal } from "./wireValues.ts"

const symbolOf = (coin: Coin) => `${coin.toLowerCase()}usd`

interface Channel {
  readonly name: string
  /** The channel has no prices of the other coins. */
  readonly bySymbol: ReadonlyMap<string, Coin>
  readonly filter: object
}

const symbolsOf = (listed: ReadonlyArray<Coin>) => new Map(listed.map((coin) => [symbolOf(coin), coin]))

const channels: Readonly<Record<PlatformSeries, Channel>> = {
  spot: { name: "price.crypto", bySymbol: symbolsOf(coins.filter((coin) => coin !== "HYPE")), filter: {} },
  twap60: { name: "price.crypto.twap", bySymbol: symbolsOf(coins), filter: { window_seconds: 60 } },
}

const Acknowledgement = Schema.Struct({
  op: Schema.String,
  channel: Schema.optionalKey(Schema.NullOr(Schema.String)),
  code: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
const Envelope = Schema.Struct({
  channel: Schema.String,
  snapshot: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  payload: Schema.Unknown,
})
/** Unlike on the older socket, the exact value is a decimal number, not a whole one with 18 decimals. */
const Point = Schema.Struct({
  timestamp: Schema.Int,
  full_accuracy_value: Schema.String.check(Schema.isPattern(/^\d{1,12}(\.\d{1,30})?$/)),
})
const Update = Schema.Struct({ ...Point.fields, symbol: Schema.String })
const Snapshot = Schema.Struct({ symbol: Schema.String, data: Schema.Array(Schema.Unknown) })

const decodeFrame = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Union([Acknowledgement, Envelope])))
const decodePoint = Schema.decodeUnknownResult(Point)
const decodeUpdate = Schema.decodeUnknownResult(Update)
const decodeSnapshot = Schema.decodeUnknownResult(Snapshot)

const other: PlatformMessage = { kind: "other" }

/** The platform sends no bid and ask. */
const tickOf = (coin: Coin, { timestamp, full_accuracy_value }: typeof Point.Type): Result.Result<Tick, string> => {
  const price = fromDecimal(full_accuracy_value)
  if (price <= 0n) return Result.fail("a price that is not positive")
  return Result.succeed({ coin, at: timestamp, price, bid: price, ask: price })
}

const readUpdate = ({ bySymbol }: Channel, payload: unknown): Result.Result<PlatformMessage, string> => {
  const update = decodeUpdate(payload)
  if (Result.isFailure(update)) return Result.fail(update.failure.message)
  const coin = bySymbol.get(update.success.symbol.toLowerCase())
  if (coin === undefined) return Result.succeed(other)
  return Result.map(tickOf(coin, update.success), (tick) => ({ kind: "update", tick }))
}

const readSnapshot = ({ bySymbol }: Channel, payload: unknown): Result.Result<PlatformMessage, string> => {
  const snapshot = decodeSnapshot(payload)
  if (Result.isFailure(snapshot)) return Result.fail(snapshot.failure.message)
  const coin = bySymbol.get(snapshot.success.symbol.toLowerCase())
  if (coin === undefined) return Result.succeed(other)
  const ticks: Array<Tick> = []
  const unread: Array<unknown> = []
  for (const item of snapshot.success.data) {
    const point = decodePoint(item)
    const tick = Result.isFailure(point) ? undefined : tickOf(coin, point.success)
    if (tick === undefined || Result.isFailure(tick)) unread.push(item)
    else ticks.push(tick.success)
  }
  return Result.succeed({ kind: "snapshot", coin, ticks: ticks.sort((a, b) => a.at - b.at), unread })
}

/** Decodes a frame of a series, or returns what is wrong with it or why the service refused a request. */
export const readPolyboltFrame = (
  text: string,
  series: PlatformSeries = "spot",
): Result.Result<PlatformMessage, string> => {
  const channel = channels[series]
  const frame = decodeFrame(text)
  if (Result.isFailure(frame)) return Result.fail(frame.failure.message)
  if ("op" in frame.success) {
    const { op, code, channel: of } = frame.success
    if (op !== "error") return Result.succeed(other)
    return Result.fail(`refused: ${code ?? "no reason"}${of ? ` on ${of}` : ""}`)
  }
  if (frame.success.channel !== channel.name) return Result.succeed(other)
  const read = frame.success.snapshot === true ? readSnapshot : readUpdate
  return read(channel, frame.success.payload)
}

export const isAuthenticated = (text: string): boolean => /^\{[^{}]*"op"\s*:\s*"authed"/.test(text)

export const authentication = ({ key, secret, passphrase }: PolyboltCredentials): string =>
  JSON.stringify({
    op: "auth",
    rid: "auth",
    auth: { apiKey: Redacted.value(key), secret: Redacted.value(secret), passphrase: Redacted.value(passphrase) },
  })

const request = (op: string, series: PlatformSeries) => {
  const { name: channel, bySymbol, filter } = channels[series]
  const subscriptions = [...bySymbol.keys()].map((symbol) => ({ channel, filter: { symbol, ...filter } }))
  return JSON.stringify({ op, rid: "prices", subscriptions })
}

export const subscribe = (series: PlatformSeries): string => request("subscribe", series)
/** Needed before another `subscribe`, which otherwise returns no new snapshot. */
export const unsubscribe = (series: PlatformSeries): string => request("unsubscribe", series)
