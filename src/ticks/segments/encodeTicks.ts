import { averagedOver, type Coin, feedName, type Tick, type TickSource, tickId, tickSources } from "#src/domain/Tick.ts"

/** Columns of ticks in order, each as Postgres sends an array of int8. */
export interface TickColumns {
  readonly rows: bigint | null
  readonly at: Uint8Array | null
  readonly price: Uint8Array | null
  readonly bid: Uint8Array | null
  readonly ask: Uint8Array | null
  /** Numbers of the sources; null if all ticks have the same. */
  readonly source: Uint8Array | null
}

/** A header, then for each element its length and its eight bytes. */
const headerBytes = 20
const elementBytes = 12
const lengthBytes = 4

const viewOf = (bytes: Uint8Array | null) =>
  bytes === null ? new DataView(new ArrayBuffer(0)) : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const offsetOf = (row: number) => headerBytes + row * elementBytes + lengthBytes

/** Exact up to 2⁵³, which a price of 10⁻⁸ USD reaches at 90 million USD. */
const numberAt = (view: DataView, row: number) => {
  const offset = offsetOf(row)
  return view.getInt32(offset) * 2 ** 32 + view.getUint32(offset + 4)
}

const unit = 100_000_000

const withoutZeros = (digits: string): string => {
  let end = digits.length
  while (digits.charCodeAt(end - 1) === 48) end--
  return digits.slice(0, end)
}

/** All digits of a whole number of 10⁻⁸, without trailing zeros. */
const decimalOf = (value: bigint): string => {
  const [sign, size] = value < 0n ? ["-", -value] : ["", value]
  const fraction = size % BigInt(unit)
  const whole = `${sign}${size / BigInt(unit)}`
  return fraction === 0n ? whole : `${whole}.${withoutZeros(fraction.toString().padStart(8, "0"))}`
}

/** The same, several times as fast for the usual prices. */
const decimalAt = (view: DataView, row: number): string => {
  const value = numberAt(view, row)
  if (value < 0 || !Number.isSafeInteger(value)) return decimalOf(view.getBigInt64(offsetOf(row)))
  const fraction = value % unit
  const whole = (value - fraction) / unit
  return fraction === 0 ? `${whole}` : `${whole}.${withoutZeros(String(unit + fraction).slice(1))}`
}

/** Spot prices do not say so: the bytes of all stored ticks are counted without it. */
const kindOf = (source: TickSource) => {
  const seconds = averagedOver(source)
  return seconds === undefined ? "" : `"is_twap":true,"twap_window_seconds":${seconds},`
}

const textsOf = (coin: Coin, source: TickSource) => ({
  afterId: `${tickId(source, { coin, at: 0 }).slice(1)}","type":"price_feed","feed":"${feedName(coin)}","timestamp":`,
  afterMillis: `,"source":"${source}",${kindOf(source)}"data":{"feed":"${feedName(coin)}","price":`,
})

/** A tick in response encoding, after a comma. */
const textOf = (
  { afterId, afterMillis }: ReturnType<typeof textsOf>,
  millis: number,
  price: string,
  bid: string,
  ask: string,
): string => {
  const second = Math.floor(millis / 1000)
  return `,{"id":"${millis}${afterId}${second},"timestamp_ms":${millis}${afterMillis}${price},"bid":${bid},"ask":${ask},"timestamp":${second}}}`
}

/** Bytes of a tick in response encoding. */
export const encodedLength = (source: TickSource, { coin, at, price, bid, ask }: Tick): number =>
  textOf(textsOf(coin, source), at, decimalOf(price), decimalOf(bid), decimalOf(ask)).length

/**
 * Ticks in response encoding, a comma before each. Postgres takes longer for the decimals and texts.
 * `only` is the source of all ticks, if they have the same.
 */
export const encodeTicks = (coin: Coin, only: TickSource | undefined, columns: TickColumns): Buffer => {
  const texts = tickSources.map((source) => textsOf(coin, source))
  const same = only && textsOf(coin, only)
  const [at, price, bid, ask] = [viewOf(columns.at), viewOf(columns.price), viewOf(columns.bid), viewOf(columns.ask)]
  const source = viewOf(columns.source)
  let text = ""
  for (let row = 0; row < Number(columns.rows ?? 0); row++) {
    const parts = same ?? (texts[numberAt(source, row)] as ReturnType<typeof textsOf>)
    text += textOf(parts, numberAt(at, row), decimalAt(price, row), decimalAt(bid, row), decimalAt(ask, row))
  }
  return Buffer.from(text, "latin1")
}
